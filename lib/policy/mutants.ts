import { stringify } from 'yaml';
import { readConfiguration } from '../provenance/configuration.ts';
import { type Trust, trustLevels } from '../provenance/trust.ts';
import type { When } from './conditions.ts';
import { type ConstitutionFile, constitutionFileSchema } from './constitution.ts';
import type { Outcome } from './decision.ts';
import {
  type Engine,
  type PolicyFile,
  type PolicySources,
  policyFileSchema,
  shippedEngine,
} from './rules.ts';
import { actionOf } from './workflow.ts';

/**
 * A policy with one thing broken on purpose, to show that the thing was needed: a set of cases that cannot tell the
 * mutant from the policy does not test the rule. Never used to decide on anything real.
 */
export interface Mutant {
  /** The rule, or `engine`, and what was done to it. */
  readonly name: string;
  readonly sources: PolicySources;
  readonly engine: Engine;
}

type PolicyRule = PolicyFile['rules'][number];
type TextRule = ConstitutionFile['rules'][number];
/** A broken copy of a rule, or nothing where the rule is left out. */
interface Change<Rule> {
  readonly what: string;
  readonly rule: Rule | undefined;
}

/** The name of the mutant that allows everything: what is left of safety when the policy is gone. */
export const allowAll = 'allow-all';

const lax: Engine = { ...shippedEngine, lint: 'off' };

/** Every mutant of a policy, in a fixed order. */
export function mutantsOf(sources: PolicySources): readonly Mutant[] {
  return [
    allowAllMutant(sources),
    ...engineMutants(sources),
    ...policyMutants(sources),
    ...textMutants(sources),
  ];
}

function allowAllMutant(sources: PolicySources): Mutant {
  const everything = {
    id: 'everything',
    decision: 'ALLOW',
    reason: 'HOUSEHOLD_RULE',
    because: 'it is a mutant',
    when: {},
  };
  const policy = stringify({ version: 1, rules: [everything] });
  const constitution = stringify({ version: 1, name: 'empty', rules: [] });
  return { name: allowAll, sources: { ...sources, policy, constitution }, engine: lax };
}

function engineMutants(sources: PolicySources): Mutant[] {
  const orders: readonly (readonly Outcome[])[] = [
    ['REQUIRE_HUMAN', 'DENY', 'ALLOW'],
    ['DENY', 'ALLOW', 'REQUIRE_HUMAN'],
    ['ALLOW', 'REQUIRE_HUMAN', 'DENY'],
  ];
  const swapped = orders.map((precedence) => ({
    name: `engine/precedence-${precedence.join('-').toLowerCase()}`,
    sources,
    engine: { ...lax, precedence },
  }));
  return [
    ...swapped,
    { name: 'engine/destination-promoted', sources, engine: { ...lax, literals: 'promoted' } },
  ];
}

function policyMutants(sources: PolicySources): Mutant[] {
  const { value: file } = readConfiguration(sources.policy, 'policy.yaml', policyFileSchema);
  return file.rules.flatMap((rule) =>
    policyChanges(rule, sources.circle.limits.actionsPerMail).map(({ what, rule: changed }) => {
      const policy = stringify({ ...file, rules: replaced(file.rules, rule, changed) });
      return { name: `${rule.id}/${what}`, sources: { ...sources, policy }, engine: lax };
    }),
  );
}

function policyChanges(rule: PolicyRule, limit: number): Change<PolicyRule>[] {
  const { consent, ...rest } = rule;
  const flipped: PolicyRule = { ...rest, decision: rule.decision === 'ALLOW' ? 'DENY' : 'ALLOW' };
  return [
    { what: 'deleted', rule: undefined },
    { what: `flipped-to-${flipped.decision.toLowerCase()}`, rule: flipped },
    ...[...droppedConditions(rule.when), ...weakenedComparisons(rule.when, limit)].map(
      ({ what, rule: when }) => ({
        what,
        rule: when === undefined ? undefined : { ...rule, when },
      }),
    ),
    ...(consent === undefined ? [] : consentChanges(rule, consent)),
  ];
}

/** Each condition left out, each of several accepted values left out, each part of a condition on arguments left out. */
function droppedConditions(when: When): Change<When>[] {
  const conditions: [string, unknown][] = Object.entries(when);
  return conditions.flatMap(([key, condition]) => [
    { what: `without-${key}`, rule: without(when, key) },
    ...partsOf(key, condition).map(({ what, rule }) => ({ what, rule: { ...when, [key]: rule } })),
  ]);
}

function partsOf(key: string, condition: unknown): Change<unknown>[] {
  if (Array.isArray(condition)) {
    const values: readonly unknown[] = condition;
    if (values.length === 1) return [];
    return values.map((value) => ({
      what: `without-${key}-${value}`,
      rule: values.filter((other) => other !== value),
    }));
  }
  if ((key !== 'some' && key !== 'all') || typeof condition !== 'object' || condition === null) return [];
  return Object.keys(condition).map((part) => ({
    what: `without-${key}-${part}`,
    rule: without(condition, part),
  }));
}

/** Each bound moved one step to where it catches less, or lets through more. */
function weakenedComparisons(when: When, limit: number): Change<When>[] {
  const changes: Change<When>[] = [];
  for (const key of ['some', 'all'] as const) {
    const condition = when[key];
    for (const bound of ['below', 'atLeast'] as const) {
      const level = condition?.[bound];
      const weaker = level === undefined ? undefined : lower(level);
      if (weaker === undefined) continue;
      changes.push({
        what: `weakened-${key}-${bound}`,
        rule: { ...when, [key]: { ...condition, [bound]: weaker } },
      });
    }
  }
  if (when.action !== undefined) {
    const above = when.action.above === 'limit' ? limit : when.action.above;
    changes.push({ what: 'weakened-action-above', rule: { ...when, action: { above: above + 1 } } });
  }
  for (const key of ['documents', 'items', 'amount'] as const) {
    const { above, atMost } = when[key] ?? {};
    if (above !== undefined)
      changes.push({ what: `weakened-${key}-above`, rule: { ...when, [key]: { atMost, above: above + 1 } } });
    if (atMost !== undefined)
      changes.push({
        what: `weakened-${key}-atMost`,
        rule: { ...when, [key]: { above, atMost: atMost + 1 } },
      });
  }
  return changes;
}

function lower(level: Trust): Trust | undefined {
  return trustLevels[trustLevels.indexOf(level) - 1];
}

function consentChanges(rule: PolicyRule, consent: NonNullable<PolicyRule['consent']>): Change<PolicyRule>[] {
  const changes: Change<PolicyRule>[] = [
    {
      what: 'consent-of-viewers',
      rule: { ...rule, consent: { ...consent, roles: [...consent.roles, 'viewer'] } },
    },
  ];
  if (!consent.roles.includes('caregiver')) {
    const roles = [...consent.roles, 'caregiver' as const];
    changes.push({ what: 'consent-of-caregivers', rule: { ...rule, consent: { ...consent, roles } } });
  }
  if (consent.people > 1) {
    changes.push({
      what: 'consent-of-fewer',
      rule: { ...rule, consent: { ...consent, people: consent.people - 1 } },
    });
  }
  return changes;
}

function textMutants(sources: PolicySources): Mutant[] {
  const { value: file } = readConfiguration(
    sources.constitution,
    'constitution.yaml',
    constitutionFileSchema,
  );
  return file.rules.flatMap((rule) =>
    textChanges(rule).map(({ what, rule: changed }) => {
      const constitution = stringify({ ...file, rules: replaced(file.rules, rule, changed) });
      return { name: `${rule.id}/${what}`, sources: { ...sources, constitution }, engine: lax };
    }),
  );
}

function textChanges(rule: TextRule): Change<TextRule>[] {
  const { workflow_action: _, ...rest } = rule;
  const action = actionOf(rule);
  const weaker: TextRule = { ...rest, severity: action === 'warn' ? 'low' : 'medium' };
  return [
    { what: 'deleted', rule: undefined },
    { what: 'disabled', rule: { ...rule, enabled: false } },
    ...(action === 'note' ? [] : [{ what: `weakened-to-${actionOf(weaker)}`, rule: weaker }]),
    ...(Object.keys(rule.condition).length === 0
      ? []
      : [{ what: 'without-condition', rule: { ...rule, condition: {} } }]),
    ...leftOut('keyword', rule.keywords).map(({ what, rule: keywords = [] }) => ({
      what,
      rule: { ...rule, keywords },
    })),
    ...leftOut('pattern', rule.patterns).map(({ what, rule: patterns = [] }) => ({
      what,
      rule: { ...rule, patterns },
    })),
  ];
}

/** Each element of a list left out. */
function leftOut(kind: string, list: readonly string[]): Change<string[]>[] {
  return list.map((left, index) => ({
    what: `without-${kind}-${kind === 'keyword' ? left.replaceAll(' ', '-') : index + 1}`,
    rule: list.filter((other) => other !== left),
  }));
}

function replaced<Rule>(rules: readonly Rule[], rule: Rule, changed: Rule | undefined): Rule[] {
  return rules.flatMap((other) => (other !== rule ? [other] : changed === undefined ? [] : [changed]));
}

function without<T extends object>(value: T, key: string): T {
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key)) as T;
}
