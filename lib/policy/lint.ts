import type { Configuration } from '../provenance/configuration.ts';
import { atLeast } from '../provenance/trust.ts';
import { type ArgumentCondition, isMeant, type When } from './conditions.ts';
import { decide } from './decide.ts';
import type { Outcome } from './decision.ts';
import { ruleReasons } from './decision.ts';
import { type DomainOptions, domain, domainSize } from './domain.ts';
import type { AbstractRequest, Catalogue } from './request.ts';
import type { CompiledRule, PolicyFile } from './rules.ts';

/** More requests than this would make every start slow. A policy that no one can check is refused. */
const largestDomain = 200_000;

/**
 * Refuses a policy file whose rules name what does not exist, say the same twice, or contradict themselves.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function lintFile({ value, invalid }: Configuration<PolicyFile>, catalogue: Catalogue): void {
  const ids = new Set<string>();
  const meanings = new Map<string, string>();
  for (const [index, rule] of value.rules.entries()) {
    const at = (key: string, what: string) => invalid(['rules', index, key], `rule \`${rule.id}\` ${what}`);
    if (ids.has(rule.id)) throw at('id', 'has the id of another rule');
    if (!ruleReasons[rule.decision].includes(rule.reason)) {
      throw at('reason', `gives \`${rule.reason}\`, which is no reason for ${rule.decision}`);
    }
    if ((rule.consent !== undefined) !== (rule.decision === 'REQUIRE_HUMAN')) {
      throw at('decision', 'needs `consent` if it is REQUIRE_HUMAN, and must not have it otherwise');
    }
    const stray = strayName(rule.when, catalogue);
    if (stray !== undefined) throw at('when', stray);
    const meaning = JSON.stringify([rule.decision, rule.when]);
    const twin = meanings.get(meaning);
    if (twin !== undefined) throw at('when', `says the same as \`${twin}\``);
    ids.add(rule.id);
    meanings.set(meaning, rule.id);
  }
}

/** What a condition names that the catalogue does not have, in words. */
function strayName(when: When, catalogue: Catalogue): string | undefined {
  const unknown = when.tool?.find((tool) => !Object.hasOwn(catalogue, tool));
  if (unknown !== undefined) return `names the unknown tool \`${unknown}\``;
  const tools = when.tool ?? Object.keys(catalogue);
  for (const condition of [when.some, when.all]) {
    if (condition === undefined) continue;
    const known = tools.flatMap((tool) => Object.entries(catalogue[tool]?.arguments ?? {}));
    const missing = condition.argument?.find((name) => !known.some(([argument]) => argument === name));
    if (missing !== undefined) return `names the argument \`${missing}\`, which none of its tools has`;
    if (!known.some(([name, spec]) => isMeant(condition, { name, ...spec })))
      return 'means no argument of its tools';
    if (asksNothing(condition)) return 'asks nothing of the arguments that it means';
  }
  return undefined;
}

function asksNothing({ below, atLeast: least, origin }: ArgumentCondition): boolean {
  return below === undefined && least === undefined && origin === undefined;
}

/**
 * Checks a policy against every request that its rules can tell apart: each rule decides somewhere, a DESTINATION or
 * AUTHORITY below TRUSTED is denied whatever else holds, and lower trust never decides more.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function lintMeaning(
  { value, invalid }: Configuration<PolicyFile>,
  rules: readonly CompiledRule[],
  options: DomainOptions,
): void {
  if (domainSize(options) > largestDomain) {
    throw invalid(['rules'], 'the rules distinguish more requests than can be checked; use fewer conditions');
  }
  const idle = new Set(rules.map((rule) => rule.id));
  for (const request of domain(options)) {
    const { outcome, deciding } = rulingOn(rules, request);
    for (const id of deciding) idle.delete(id);
    const fault =
      outcome === 'DENY' ? undefined : (openFloor(request, outcome) ?? inversion(rules, request, outcome));
    if (fault !== undefined) throw invalid(['rules'], fault);
  }
  const index = value.rules.findIndex((rule) => idle.has(rule.id));
  if (index !== -1)
    throw invalid(['rules', index, 'id'], `rule \`${value.rules[index]?.id}\` can never decide`);
}

const rulingOn = (rules: readonly CompiledRule[], request: AbstractRequest) =>
  decide(rules.filter((rule) => rule.matches(request)));

function openFloor(request: AbstractRequest, outcome: Outcome): string | undefined {
  const open = request.arguments.find(({ class: kind, trust }) => kind !== 'VALUE' && trust !== 'TRUSTED');
  if (open === undefined) return undefined;
  return `the rules would ${outcome} \`${request.tool}\` with a \`${open.name}\` below TRUSTED; deny that`;
}

const permissiveness: readonly Outcome[] = ['DENY', 'REQUIRE_HUMAN', 'ALLOW'];

/** A request that would be decided more strictly if one of its arguments were trusted more. */
function inversion(
  rules: readonly CompiledRule[],
  request: AbstractRequest,
  outcome: Outcome,
): string | undefined {
  for (const [index, argument] of request.arguments.entries()) {
    if (argument.class !== 'VALUE' || atLeast(argument.trust, 'CONTROLLED')) continue;
    if (argument.form !== 'text' && argument.form !== 'time') continue;
    const raised = { ...argument, trust: 'CONTROLLED', origin: 'fact' } as const;
    const { outcome: higher } = rulingOn(rules, {
      ...request,
      arguments: request.arguments.with(index, raised),
    });
    if (permissiveness.indexOf(higher) < permissiveness.indexOf(outcome)) {
      return `the rules would ${outcome} \`${request.tool}\` with an unchecked \`${argument.name}\`, but ${higher} it with a checked one`;
    }
  }
  return undefined;
}
