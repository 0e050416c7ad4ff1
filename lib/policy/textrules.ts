import { RE2JS, RE2Set } from 're2js';
import { CaregateError } from '../errors.ts';
import type { Configuration } from '../provenance/configuration.ts';
import {
  type Comparison,
  type ConstitutionFile,
  type ConstitutionRule,
  contextFields,
  endOf,
  readConstitution,
} from './constitution.ts';
import type { MatchedRule } from './decide.ts';
import { normalForms } from './normalisation.ts';
import type { Catalogue } from './request.ts';
import { actionOf, matchOf, type TextAction } from './workflow.ts';

/** What the rules of a constitution look at beside the text. */
export interface TextContext {
  readonly tool: string;
  readonly category: string;
  readonly standing: string;
  /** Milliseconds since the epoch, for rules that hold for a time. */
  readonly now: number;
}

export interface TextRuling {
  /** The rules that decide something, in the form of the policy's; those of a higher priority first. */
  readonly matched: readonly MatchedRule[];
  /** The ids of all rules that matched, sorted. */
  readonly ids: readonly string[];
  readonly warnings: readonly string[];
  /** Whether a person has to be told. */
  readonly alert: boolean;
}

export interface CompiledConstitution {
  readonly ids: ReadonlySet<string>;
  readonly evaluate: (text: string, context: TextContext) => TextRuling;
}

interface TextRule {
  readonly id: string;
  readonly priority: number;
  readonly action: TextAction;
  readonly match: MatchedRule | undefined;
  readonly applies: (context: TextContext) => boolean;
  /** Whether it holds for every text that its condition lets through. */
  readonly wordless: boolean;
}

const flags = RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE;
const nothing: TextRuling = Object.freeze({ matched: [], ids: [], warnings: [], alert: false });

/**
 * Compiles a constitution: text rules that can only make a decision stricter. All keywords and patterns of all rules
 * become one automaton, which reads a text once, in time linear in its length whatever the patterns are.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function compileConstitution(text: string, catalogue: Catalogue): CompiledConstitution {
  const file = readConstitution(text, catalogue);
  const rules = file.value.rules.map((rule) => textRule(rule, file.value.onReview));
  const { automaton, owners } = compileAutomaton(file, rules);
  const wordless = rules.filter((rule) => rule.wordless);
  const inOrder = rules.toSorted(
    (one, other) => other.priority - one.priority || (one.id < other.id ? -1 : 1),
  );
  return {
    ids: new Set(rules.map((rule) => rule.id)),
    evaluate: (rendered, context) => {
      if (!Number.isFinite(context.now)) throw new CaregateError('INVALID_INPUT', '`now` is not a time');
      const found = new Set(wordless);
      for (const form of normalForms(rendered)) {
        for (const hit of automaton.match(form)) for (const rule of owners[hit] ?? []) found.add(rule);
      }
      return found.size === 0
        ? nothing
        : summary(inOrder.filter((rule) => found.has(rule) && rule.applies(context)));
    },
  };
}

function summary(matched: readonly TextRule[]): TextRuling {
  return {
    matched: matched.flatMap(({ match }) => (match === undefined ? [] : [match])),
    ids: matched.map((rule) => rule.id).sort(),
    warnings: matched.filter((rule) => rule.action === 'warn').map((rule) => rule.id),
    alert: matched.some((rule) => rule.action === 'block_and_notify' || rule.action === 'halt_and_alert'),
  };
}

/** The automaton, and for each of its expressions the rules that it belongs to. */
function compileAutomaton(file: Configuration<ConstitutionFile>, rules: readonly TextRule[]) {
  const expressions = new Map<string, TextRule[]>();
  for (const [index, rule] of rules.entries()) {
    const { keywords, patterns } = file.value.rules[index] ?? { keywords: [], patterns: [] };
    for (const [position, pattern] of patterns.entries()) {
      checkPattern(pattern, ['rules', index, 'patterns', position], file);
    }
    for (const expression of [...keywords.flatMap(normalForms).map(keywordExpression), ...patterns]) {
      expressions.set(expression, [...(expressions.get(expression) ?? []), rule]);
    }
  }
  const automaton = new RE2Set(RE2Set.UNANCHORED, flags);
  for (const expression of expressions.keys()) automaton.add(expression);
  automaton.compile();
  return { automaton, owners: [...expressions.values()] };
}

/** A keyword matches anywhere, and its blanks match any run of blanks, hyphens and underscores. */
function keywordExpression(keyword: string): string {
  return keyword
    .split(/[ _-]+/)
    .filter((word) => word !== '')
    .map((word) => RE2JS.quote(word))
    .join('[ _-]+');
}

function checkPattern(
  pattern: string,
  path: readonly PropertyKey[],
  file: Configuration<ConstitutionFile>,
): void {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, flags);
  } catch {
    throw file.invalid(
      path,
      'the pattern cannot be matched in linear time; use no look-around and no back-reference',
    );
  }
  if (compiled.test('')) throw file.invalid(path, 'the pattern matches everything');
}

function textRule(rule: ConstitutionRule, onReview: 'ask' | 'deny'): TextRule {
  const action = actionOf(rule);
  return {
    id: rule.id,
    priority: rule.priority,
    action,
    match: matchOf(rule.id, action, onReview),
    applies: compileCondition(rule),
    wordless: rule.keywords.length === 0 && rule.patterns.length === 0,
  };
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
