import { RE2JS } from 're2js';
import * as z from 'zod';
import { categories } from '../proposal/catalogue.ts';
import { type Configuration, readConfiguration } from '../provenance/configuration.ts';
import type { MatchedRule } from './decide.ts';
import { type ConsentRequirement, type Outcome, type ReasonCode, reasonRank } from './decision.ts';
import { normalForms } from './normalisation.ts';
import { type Catalogue, standingsOfCases } from './request.ts';

export const severities = ['critical', 'high', 'medium', 'low'] as const;
export const workflowActions = [
  'warn',
  'block',
  'block_and_notify',
  'require_human_review',
  'escalate_to_senior',
  'halt_and_alert',
] as const;
export type WorkflowAction = (typeof workflowActions)[number];

const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const comparisonSchema = z.strictObject({
  equals: z.string().optional(),
  not_equals: z.string().optional(),
  contains: z.string().optional(),
  in: z.array(z.string()).min(1).optional(),
  not_in: z.array(z.string()).min(1).optional(),
});
export const contextFields = ['tool', 'category', 'standing'] as const;
export type ContextField = (typeof contextFields)[number];

const ruleSchema = z.strictObject({
  id: z.string().regex(/^[A-Z0-9]+(?:-[A-Z0-9]+)*$/),
  text: z.string().trim().min(1),
  severity: z.enum(severities),
  keywords: z.array(z.string()).default([]),
  patterns: z.array(z.string()).default([]),
  category: z.string().default('general'),
  enabled: z.boolean().default(true),
  /** Only the order in which rules are listed: no priority lifts what another rule decides. */
  priority: z.int().default(0),
  condition: z
    .strictObject({
      tool: comparisonSchema.optional(),
      category: comparisonSchema.optional(),
      standing: comparisonSchema.optional(),
    })
    .default({}),
  valid_from: moment.optional(),
  valid_until: moment.optional(),
  tags: z.array(z.string()).default([]),
  workflow_action: z.enum(workflowActions).optional(),
});
export const constitutionFileSchema = z.strictObject({
  version: z.literal(1),
  name: z.string().trim().min(1),
  /** Whether a rule that wants a person's review asks one, or denies. */
  onReview: z.enum(['ask', 'deny']).default('ask'),
  rules: z.array(ruleSchema),
});
export type ConstitutionFile = z.infer<typeof constitutionFileSchema>;
export type ConstitutionRule = ConstitutionFile['rules'][number];
type Comparison = z.infer<typeof comparisonSchema>;

/** What the rules of a constitution look at beside the text. */
export interface TextContext {
  readonly tool: string;
  readonly category: string;
  readonly standing: string;
  /** Milliseconds since the epoch, for rules that hold for a time. */
  readonly now: number;
}

export interface ConstitutionRuling {
  /** The rules that decide something, in the form of the policy's. */
  readonly matched: readonly MatchedRule[];
  /** The ids of all rules that matched, sorted. */
  readonly ids: readonly string[];
  readonly warnings: readonly string[];
  readonly alert: boolean;
}

export interface CompiledConstitution {
  readonly ids: ReadonlySet<string>;
  readonly evaluate: (text: string, context: TextContext) => ConstitutionRuling;
}

interface CompiledTextRule {
  readonly id: string;
  readonly matches: (forms: readonly TextForm[], context: TextContext) => boolean;
  readonly action: WorkflowAction | 'note';
  readonly match: MatchedRule | undefined;
}

interface TextForm {
  readonly text: string;
  /** With `-` and `_` as blanks, so that `api_key` and `api-key` are `api key`. */
  readonly spaced: string;
}

/**
 * Compiles a constitution: text rules that can only make a decision stricter.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column; also for a pattern that cannot be matched in
 *   linear time
 */
export function compileConstitution(text: string, catalogue: Catalogue): CompiledConstitution {
  const file = readConfiguration(text, 'constitution.yaml', constitutionFileSchema);
  lintConstitution(file, catalogue);
  const rules = file.value.rules
    .map((rule, index) => compileRule(rule, index, file))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    ids: new Set(rules.map((rule) => rule.id)),
    evaluate: (rendered, context) => {
      if (!Number.isFinite(context.now)) throw new RangeError('now');
      const forms = normalForms(rendered).map((form) => ({ text: form, spaced: spaced(form) }));
      return summary(rules.filter((rule) => rule.matches(forms, context)));
    },
  };
}

function summary(matched: readonly CompiledTextRule[]): ConstitutionRuling {
  return {
    matched: matched.flatMap(({ match }) => (match === undefined ? [] : [match])),
    ids: matched.map((rule) => rule.id),
    warnings: matched.filter((rule) => rule.action === 'warn').map((rule) => rule.id),
    alert: matched.some((rule) => rule.action === 'block_and_notify' || rule.action === 'halt_and_alert'),
  };
}

function compileRule(
  rule: ConstitutionRule,
  index: number,
  file: Configuration<ConstitutionFile>,
): CompiledTextRule {
  const keywords = rule.keywords.flatMap((keyword) =>
    normalForms(keyword).map((form) => spaced(form).trim()),
  );
  const patterns = rule.patterns.map((pattern, position) =>
    compilePattern(pattern, ['rules', index, 'patterns', position], file),
  );
  const unconditional = keywords.length === 0 && patterns.length === 0;
  const applies = compileCondition(rule);
  const action = actionOf(rule);
  const found = (form: TextForm): boolean =>
    keywords.some((keyword) => form.spaced.includes(keyword)) ||
    patterns.some((pattern) => pattern.test(form.text));
  return {
    id: rule.id,
    action,
    match: matchOf(rule.id, action, file.value.onReview),
    matches: (forms, context) => applies(context) && (unconditional || forms.some(found)),
  };
}

/** Runs of blanks, hyphens and underscores are one blank. */
function spaced(text: string): string {
  return text.replace(/[ _-]+/g, ' ');
}

function compilePattern(
  pattern: string,
  path: readonly PropertyKey[],
  file: Configuration<ConstitutionFile>,
): RE2JS {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
  } catch {
    throw file.invalid(
      path,
      'the pattern cannot be matched in linear time; write it without look-around or back-references',
    );
  }
  if (compiled.test('')) throw file.invalid(path, 'the pattern matches everything');
  return compiled;
}

function compileCondition({ condition, enabled, valid_from, valid_until }: ConstitutionRule) {
  const from = valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(valid_from);
  const until = valid_until === undefined ? Number.POSITIVE_INFINITY : endOf(valid_until);
  return (context: TextContext): boolean =>
    enabled &&
    context.now >= from &&
    context.now < until &&
    contextFields.every((field) => holds(condition[field], context[field]));
}

/** A rule is valid until an instant, or through the whole of a day (in UTC). */
function endOf(until: string): number {
  const dayLength = 86_400_000;
  return until.length === 10 ? Date.parse(until) + dayLength : Date.parse(until);
}

function holds(comparison: Comparison | undefined, value: string): boolean {
  if (comparison === undefined) return true;
  const { equals, not_equals, contains, in: among, not_in } = comparison;
  return (
    (equals === undefined || value === equals) &&
    (not_equals === undefined || value !== not_equals) &&
    (contains === undefined || value.includes(contains)) &&
    (among === undefined || among.includes(value)) &&
    (not_in === undefined || !not_in.includes(value))
  );
}

function actionOf({ severity, workflow_action }: ConstitutionRule): WorkflowAction | 'note' {
  if (workflow_action !== undefined) return workflow_action;
  if (severity === 'low') return 'note';
  return severity === 'medium' ? 'warn' : 'block';
}

const review: ConsentRequirement = { people: 1, roles: ['owner', 'caregiver'] };
const senior: ConsentRequirement = { people: 1, roles: ['owner'] };

function matchOf(
  id: string,
  action: WorkflowAction | 'note',
  onReview: 'ask' | 'deny',
): MatchedRule | undefined {
  const rule = (decision: Outcome, reason: ReasonCode, consent?: ConsentRequirement) => ({
    id,
    decision,
    reason,
    rank: reasonRank(reason),
    consent,
  });
  switch (action) {
    case 'note':
    case 'warn':
      return undefined;
    case 'block':
    case 'block_and_notify':
    case 'halt_and_alert':
      return rule('DENY', 'CONSTITUTION_BLOCKED');
    case 'require_human_review':
    case 'escalate_to_senior':
      if (onReview === 'deny') return rule('DENY', 'CONSTITUTION_BLOCKED');
      return rule('REQUIRE_HUMAN', 'CONSTITUTION_REVIEW', action === 'escalate_to_senior' ? senior : review);
  }
}

function lintConstitution({ value, invalid }: Configuration<ConstitutionFile>, catalogue: Catalogue): void {
  const known: Record<ContextField, readonly string[]> = {
    tool: Object.keys(catalogue),
    category: categories,
    standing: standingsOfCases,
  };
  const ids = new Set<string>();
  for (const [index, rule] of value.rules.entries()) {
    const at = (key: string, what: string) => invalid(['rules', index, key], `rule \`${rule.id}\` ${what}`);
    if (ids.has(rule.id)) throw at('id', 'has the id of another rule');
    ids.add(rule.id);
    if (rule.workflow_action === 'warn' && (rule.severity === 'critical' || rule.severity === 'high')) {
      throw at('workflow_action', 'would only warn of what its severity blocks');
    }
    if (rule.keywords.some((keyword) => normalForms(keyword).some((form) => spaced(form).trim() === ''))) {
      throw at('keywords', 'has a keyword that says nothing');
    }
    if (rule.keywords.length + rule.patterns.length + Object.keys(rule.condition).length === 0) {
      throw at('id', 'has neither keywords, patterns nor a condition, so it would match every call');
    }
    if (
      rule.valid_from !== undefined &&
      rule.valid_until !== undefined &&
      Date.parse(rule.valid_from) >= endOf(rule.valid_until)
    ) {
      throw at('valid_until', 'ends before it begins');
    }
    for (const field of contextFields) {
      const named = namedIn(rule.condition[field]).find((name) => !known[field].includes(name));
      if (named !== undefined) throw at('condition', `names the unknown ${field} \`${named}\``);
    }
  }
}

function namedIn(comparison: Comparison | undefined): readonly string[] {
  const { equals, not_equals, in: among = [], not_in = [] } = comparison ?? {};
  return [equals, not_equals, ...among, ...not_in].filter((name) => name !== undefined);
}
