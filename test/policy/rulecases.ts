import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { callFileSchema, readCall } from '../../lib/policy/callfile.ts';
import { decide } from '../../lib/policy/decide.ts';
import { outcomes, type ReasonCode, reasonCodes } from '../../lib/policy/decision.ts';
import { evaluate, matchedRules } from '../../lib/policy/gate.ts';
import { type AbstractRequest, standingsOfCases } from '../../lib/policy/request.ts';
import type { CompiledPolicy } from '../../lib/policy/rules.ts';
import {
  type ArgumentSpec,
  catalogue,
  categories,
  type ToolName,
  toolNames,
} from '../../lib/proposal/catalogue.ts';
import { circleRoles } from '../../lib/provenance/circle.ts';
import { readConfiguration } from '../../lib/provenance/configuration.ts';
import { type Trust, trustLevels } from '../../lib/provenance/trust.ts';
import { exampleCircle, now } from './shipped.ts';

const folder = 'rules/cases';

const expectationSchema = z.strictObject({
  outcome: z.enum(outcomes),
  reason: z.enum(Object.keys(reasonCodes) as [ReasonCode, ...ReasonCode[]]),
  consent: z.strictObject({ people: z.int(), roles: z.array(z.enum(circleRoles)) }).optional(),
  matched: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
  alert: z.boolean().optional(),
});
const requestSchema = z.strictObject({
  tool: z.enum(toolNames as [ToolName, ...ToolName[]]),
  category: z.enum(categories).default('other'),
  standing: z.enum(standingsOfCases).default('accepted'),
  action: z.int().positive().default(1),
  /** The arguments whose trust matters; a required one that is not named has the trust it would have at best. */
  trusts: z.record(z.string(), z.enum(trustLevels)).default({}),
});
const caseSchema = z.strictObject({
  rule: z.string(),
  kind: z.enum(['matches', 'does-not-match', 'boundary']),
  name: z.string(),
  /** A call by its name in `calls`, each of `texts` put in for `{text}`… */
  call: z.string().optional(),
  texts: z.array(z.string()).min(1).optional(),
  /** …or an abstract request, for what no resolved call can be. */
  request: requestSchema.optional(),
  expect: expectationSchema,
});
const caseFileSchema = z.strictObject({
  calls: z.record(z.string(), z.unknown()),
  cases: z.array(caseSchema).min(1),
});

type Expectation = z.infer<typeof expectationSchema>;

interface Result extends Pick<Expectation, 'outcome' | 'reason' | 'consent'> {
  readonly matched: string[];
  readonly warnings: string[];
  readonly alert: boolean;
}

/** One case of `rules/cases`, with one text put in. */
export interface RuleCase {
  readonly rule: string;
  readonly kind: 'matches' | 'does-not-match' | 'boundary';
  readonly name: string;
  readonly expect: Expectation;
  readonly run: (policy: CompiledPolicy) => Result;
}

export function loadCases(): readonly RuleCase[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const { value } = readConfiguration(readFileSync(`${folder}/${name}`, 'utf8'), name, caseFileSchema);
      return value.cases.flatMap(({ call, texts, request, ...rest }) => {
        if (request !== undefined) return [{ ...rest, run: ruling(abstract(request)) }];
        const written = JSON.stringify(callFileSchema.parse(value.calls[call ?? '']));
        return (texts ?? ['']).map((text) => ({
          ...rest,
          name: text === '' ? rest.name : `${rest.name}: ${text}`,
          run: gating(JSON.parse(written.replace('{text}', () => JSON.stringify(text).slice(1, -1)))),
        }));
      });
    });
}

/** Whether a policy decides a case as expected, in everything that the case says. */
export function holds({ expect, run }: RuleCase, policy: CompiledPolicy): boolean {
  const actual = run(policy);
  return (
    actual.outcome === expect.outcome &&
    actual.reason === expect.reason &&
    JSON.stringify(actual.consent) === JSON.stringify(expect.consent) &&
    (['matched', 'warnings', 'alert'] as const).every(
      (key) => expect[key] === undefined || JSON.stringify(actual[key]) === JSON.stringify(expect[key]),
    )
  );
}

function gating(written: unknown): RuleCase['run'] {
  return (policy) => {
    const { matched, warnings, ...rest } = evaluate(policy, { ...readCall(written, exampleCircle), now });
    return { ...rest, matched: [...matched], warnings: [...warnings], consent: copied(rest.consent) };
  };
}

function ruling(request: AbstractRequest): RuleCase['run'] {
  return (policy) => {
    const matched = matchedRules(policy, request);
    const { consent, ...rest } = decide(matched, policy.engine.precedence);
    return {
      ...rest,
      consent: copied(consent),
      matched: matched.map((rule) => rule.id),
      warnings: [],
      alert: false,
    };
  };
}

function copied(consent: ReturnType<typeof decide>['consent']): Expectation['consent'] {
  return consent === undefined ? undefined : { people: consent.people, roles: [...consent.roles] };
}

function abstract({ trusts, ...rest }: z.infer<typeof requestSchema>): AbstractRequest {
  const spec = catalogue[rest.tool];
  const specs: [string, ArgumentSpec][] = Object.entries(spec.arguments);
  const present = specs.filter(
    ([name, argument]) => argument.optional !== true || trusts[name] !== undefined,
  );
  return {
    ...rest,
    effect: spec.effect,
    documents: 0,
    items: 0,
    amount: 0,
    arguments: present.map(([name, { class: kind, form }]) => {
      const trust: Trust = trusts[name] ?? (kind === 'VALUE' ? 'UNTRUSTED' : 'TRUSTED');
      return {
        name,
        class: kind,
        form,
        trust,
        origin: kind !== 'VALUE' && trust === 'TRUSTED' ? 'circle' : 'model',
      };
    }),
  };
}
