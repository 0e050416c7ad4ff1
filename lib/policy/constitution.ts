import * as z from 'zod';
import { categories, catalogue as ownCatalogue } from '../proposal/catalogue.ts';
import { type Configuration, readConfiguration } from '../provenance/configuration.ts';
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
export type Comparison = z.infer<typeof comparisonSchema>;

/**
 * Reads a constitution: text rules over the rendered call. Their patterns are compiled, and so judged, by
 * `compileConstitution`.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function readConstitution(text: string, catalogue: Catalogue): Configuration<ConstitutionFile> {
  const file = readConfiguration(text, 'constitution.yaml', constitutionFileSchema);
  lintConstitution(file, catalogue);
  return file;
}

/** A rule is valid until an instant, or through the whole of a day (in UTC). */
export function endOf(until: string): number {
  const dayLength = 86_400_000;
  return until.length === 10 ? Date.parse(until) + dayLength : Date.parse(until);
}

function lintConstitution({ value, invalid }: Configuration<ConstitutionFile>, catalogue: Catalogue): void {
  const known: Record<ContextField, readonly string[]> = {
    tool: [...Object.keys(ownCatalogue), ...Object.keys(catalogue)],
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
    if (rule.keywords.some((keyword) => normalForms(keyword).some((form) => !/[^ _-]/.test(form)))) {
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
