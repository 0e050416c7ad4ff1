import * as z from 'zod';
import { argumentClasses, categories } from '../proposal/catalogue.ts';
import { atLeast, trustLevels } from '../provenance/trust.ts';
import { type AbstractArgument, type AbstractRequest, origins, standingsOfCases } from './request.ts';

/** One value or a list of values in the file, a list in code. */
function oneOrMore<T extends z.ZodType>(element: T) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(element).min(1));
}

export const argumentForms = [
  'text',
  'time',
  'document',
  'documents',
  'entry',
  'role',
  'question',
  'facts',
  'reason',
  'items',
] as const;

/** Which arguments are meant (`argument`, `class`, `form`), and what is asked of them (`below`, `atLeast`, `origin`). */
export const argumentConditionSchema = z.strictObject({
  argument: oneOrMore(z.string()).optional(),
  class: oneOrMore(z.enum(argumentClasses)).optional(),
  form: oneOrMore(z.enum(argumentForms)).optional(),
  below: z.enum(trustLevels).optional(),
  atLeast: z.enum(trustLevels).optional(),
  origin: oneOrMore(z.enum(origins)).optional(),
});
export type ArgumentCondition = z.infer<typeof argumentConditionSchema>;

const bounds = { above: z.int().nonnegative().optional(), atMost: z.int().nonnegative().optional() };
const countSchema = z
  .strictObject(bounds)
  .refine(({ above, atMost }) => above !== undefined || atMost !== undefined, 'names no bound');

/** What has to hold for a rule to match: all of it. */
export const whenSchema = z.strictObject({
  tool: oneOrMore(z.string()).optional(),
  effect: z.boolean().optional(),
  category: oneOrMore(z.enum(categories)).optional(),
  standing: oneOrMore(z.enum(standingsOfCases)).optional(),
  /** `limit` is the circle's own number of actions a mail. */
  action: z.strictObject({ above: z.union([z.int().nonnegative(), z.literal('limit')]) }).optional(),
  documents: countSchema.optional(),
  items: countSchema.optional(),
  amount: countSchema.optional(),
  role: oneOrMore(z.string()).optional(),
  /** At least one argument that is meant is like this. */
  some: argumentConditionSchema.optional(),
  /** There are arguments that are meant, and every one of them is like this. */
  all: argumentConditionSchema.optional(),
});
export type When = z.infer<typeof whenSchema>;
export type CountedAttribute = 'action' | 'documents' | 'items' | 'amount';

export type Predicate = (request: AbstractRequest) => boolean;

/**
 * A condition as one function over abstract requests.
 * @param limit the circle's number of actions a mail
 */
export function compileWhen(when: When, limit: number): Predicate {
  const tests: Predicate[] = [];
  for (const attribute of ['tool', 'category', 'standing', 'role'] as const) {
    const accepted: readonly string[] | undefined = when[attribute];
    if (accepted !== undefined) tests.push(membership(attribute, accepted));
  }
  if (when.effect !== undefined) tests.push((request) => request.effect === when.effect);
  for (const { attribute, above, atMost } of boundsOf(when, limit)) {
    if (above !== undefined) tests.push((request) => request[attribute] > above);
    if (atMost !== undefined) tests.push((request) => request[attribute] <= atMost);
  }
  if (when.some !== undefined) tests.push(someArgument(when.some));
  if (when.all !== undefined) tests.push(everyArgument(when.all));
  return conjunction(tests);
}

export interface Bound {
  readonly attribute: CountedAttribute;
  readonly above?: number | undefined;
  readonly atMost?: number | undefined;
}

/** The numeric bounds of a condition, with `limit` put in. */
export function boundsOf(when: When, limit: number): readonly Bound[] {
  const action = when.action?.above === 'limit' ? limit : when.action?.above;
  const counts = (['documents', 'items', 'amount'] as const).map((attribute) => ({
    attribute,
    ...when[attribute],
  }));
  const all: readonly Bound[] = [{ attribute: 'action', above: action }, ...counts];
  return all.filter(({ above, atMost }) => above !== undefined || atMost !== undefined);
}

/** Whether an argument is one of those that a condition means. */
export function isMeant(
  condition: ArgumentCondition,
  argument: Pick<AbstractArgument, 'name' | 'class' | 'form'>,
): boolean {
  return (
    (condition.argument?.includes(argument.name) ?? true) &&
    (condition.class?.includes(argument.class) ?? true) &&
    (condition.form?.includes(argument.form) ?? true)
  );
}

function isLike(condition: ArgumentCondition, argument: AbstractArgument): boolean {
  const { below, atLeast: least, origin } = condition;
  return (
    (below === undefined || !atLeast(argument.trust, below)) &&
    (least === undefined || atLeast(argument.trust, least)) &&
    (origin === undefined || origin.includes(argument.origin))
  );
}

function someArgument(condition: ArgumentCondition): Predicate {
  return ({ arguments: all }) =>
    all.some((argument) => isMeant(condition, argument) && isLike(condition, argument));
}

/** Nothing holds of arguments that are not there: an empty `all` would let a rule allow what it never looked at. */
function everyArgument(condition: ArgumentCondition): Predicate {
  return ({ arguments: all }) => {
    const meant = all.filter((argument) => isMeant(condition, argument));
    return meant.length > 0 && meant.every((argument) => isLike(condition, argument));
  };
}

function membership(
  attribute: 'tool' | 'category' | 'standing' | 'role',
  accepted: readonly string[],
): Predicate {
  const set = new Set(accepted);
  return (request) => {
    const value = request[attribute];
    return value !== undefined && set.has(value);
  };
}

function conjunction(tests: readonly Predicate[]): Predicate {
  const [first, second, ...others] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (others.length === 0) return (request) => first(request) && second(request);
  return (request) => tests.every((test) => test(request));
}
