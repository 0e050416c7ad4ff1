import fc from 'fast-check';
import { stringify } from 'yaml';
import type { decide, MatchedRule } from '../../lib/policy/decide.ts';
import { outcomes, type ReasonCode, reasonCodes, reasonRank } from '../../lib/policy/decision.ts';
import type { AbstractRequest } from '../../lib/policy/request.ts';
import { type ArgumentSpec, catalogue, categories, toolNames } from '../../lib/proposal/catalogue.ts';
import { circleRoles } from '../../lib/provenance/circle.ts';
import { trustLevels } from '../../lib/provenance/trust.ts';

/** Arbitrary policies and requests: not those that make sense, but all that the engine must have an answer to. */

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const condition = fc.record(
  {
    class: some(['VALUE', 'DESTINATION', 'AUTHORITY'] as const),
    form: some(['text', 'time', 'entry', 'role', 'document'] as const),
    argument: some(['to', 'start', 'end', 'title', 'role', 'grantee']),
    below: fc.constantFrom(...trustLevels),
    atLeast: fc.constantFrom(...trustLevels),
    origin: some(['fact', 'model', 'case', 'circle'] as const),
  },
  { requiredKeys: [] },
);
const count = fc.oneof(
  fc.record({ above: fc.nat(4) }),
  fc.record({ atMost: fc.nat(4) }),
  fc.record({ above: fc.nat(3), atMost: fc.nat(4) }),
);
const conditions = {
  tool: some(toolNames),
  effect: fc.boolean(),
  category: some(categories),
  standing: some(['accepted', 'contact'] as const),
  action: fc.record({ above: fc.oneof(fc.nat(10), fc.constant('limit' as const)) }),
  documents: count,
  items: count,
  amount: count,
  role: some(['document-reader', 'owner']),
  some: condition,
  all: condition,
};
// At most three conditions a rule, or hardly any rule would ever match.
const when = fc
  .subarray(Object.keys(conditions) as (keyof typeof conditions)[], { maxLength: 3 })
  .chain((keys) =>
    fc.record(Object.fromEntries(keys.map((key): [string, fc.Arbitrary<unknown>] => [key, conditions[key]]))),
  );
const consent = fc.record({ people: fc.integer({ min: 1, max: 3 }), roles: some(circleRoles) });

/** A policy file as YAML text. */
export const policyText = fc
  .array(fc.record({ decision: fc.constantFrom(...outcomes), when, consent }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((rules) =>
    stringify({
      version: 1,
      rules: rules.map(({ consent: asked, ...rule }, index) => ({
        id: `rule-${index}`,
        ...rule,
        reason: 'HOUSEHOLD_RULE',
        because: 'it was drawn',
        ...(rule.decision === 'REQUIRE_HUMAN' ? { consent: asked } : {}),
      })),
    }),
  );

/** A request of any tool, with any trust on any argument. */
export const anyRequest: fc.Arbitrary<AbstractRequest> = fc.constantFrom(...toolNames).chain((tool) => {
  const { effect, arguments: specs } = catalogue[tool];
  const drawn = Object.entries(specs as Record<string, ArgumentSpec>).map(([name, { class: kind, form }]) =>
    fc.option(
      fc.record({
        name: fc.constant(name),
        class: fc.constant(kind),
        form: fc.constant(form),
        trust: fc.constantFrom(...trustLevels),
        origin: fc.constantFrom('fact', 'model', 'case', 'circle' as const),
      }),
      { nil: undefined },
    ),
  );
  return fc.record({
    tool: fc.constant(tool),
    effect: fc.constant(effect),
    category: fc.constantFrom(...categories),
    standing: fc.constantFrom('accepted', 'contact' as const),
    action: fc.integer({ min: 1, max: 12 }),
    documents: fc.nat(5),
    items: fc.nat(5),
    amount: fc.nat(5),
    role: fc.option(fc.constantFrom('document-reader', 'owner'), { nil: undefined }),
    arguments: fc.tuple(...drawn).map((all) => all.filter((argument) => argument !== undefined)),
  });
});

/** Any rules that might have matched at once. */
export const anyMatches: fc.Arbitrary<MatchedRule[]> = fc.uniqueArray(
  fc
    .record({
      id: fc.stringMatching(/^[a-z]{1,3}$/),
      decision: fc.constantFrom(...outcomes),
      reason: fc.constantFrom(...(Object.keys(reasonCodes) as ReasonCode[])),
      consent,
    })
    .map(({ consent: asked, ...rule }) => ({
      ...rule,
      rank: reasonRank(rule.reason),
      consent: rule.decision === 'REQUIRE_HUMAN' ? asked : undefined,
    })),
  { selector: (rule) => rule.id, maxLength: 8 },
);

/** How much an outcome permits. */
export const permissiveness = (outcome: ReturnType<typeof decide>['outcome']): number =>
  ['DENY', 'REQUIRE_HUMAN', 'ALLOW'].indexOf(outcome);
