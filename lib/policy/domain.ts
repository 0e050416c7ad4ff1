import { type ArgumentSpec, type Category, categories, type ToolSpec } from '../proposal/catalogue.ts';
import { boundsOf, type CountedAttribute, isMeant, type When } from './conditions.ts';
import { type AbstractArgument, type AbstractRequest, type Catalogue, standingsOfCases } from './request.ts';

/** An argument as it may be, or `undefined` where it is left out. */
type Choice = AbstractArgument | undefined;
type Frame = Pick<AbstractRequest, 'category' | 'standing' | CountedAttribute | 'role'>;

/** What a domain is made for: the conditions whose every combination it must contain, or everything there is. */
export interface DomainOptions {
  readonly catalogue: Catalogue;
  readonly conditions: readonly When[];
  /** The circle's number of actions a mail. */
  readonly limit: number;
  /** Leave nothing out, although no condition could tell the difference. */
  readonly whole?: boolean;
}

/** How many requests {@link domain} gives, without making them. */
export function domainSize(options: DomainOptions): number {
  const frames = framesOf(options).length;
  const tools = Object.values(options.catalogue).map((spec) =>
    choicesOf(spec, options).reduce((product, choices) => product * choices.length, 1),
  );
  return frames * tools.reduce((sum, size) => sum + size, 0);
}

/**
 * Every abstract request that the conditions can tell apart: each tool with each combination of its arguments' trusts
 * and origins, each category and sender verdict, each side of each bound. Also trusts that no resolved call has, such
 * as a CONTROLLED destination: rules must hold for those, too.
 */
export function* domain(options: DomainOptions): Generator<AbstractRequest> {
  const frames = framesOf(options);
  for (const [tool, spec] of Object.entries(options.catalogue)) {
    for (const chosen of product(choicesOf(spec, options))) {
      const present = chosen.filter((argument) => argument !== undefined);
      for (const frame of frames) yield { tool, effect: spec.effect, ...frame, arguments: present };
    }
  }
}

function choicesOf(
  spec: ToolSpec,
  { conditions, whole = false }: DomainOptions,
): readonly (readonly Choice[])[] {
  return Object.entries(spec.arguments).map(([name, argument]) => {
    const present = presentChoices(name, argument);
    const all = argument.optional === true ? [...present, undefined] : present;
    if (whole) return all;
    const meaning = conditions
      .flatMap(({ some, all: every }) => [some, every])
      .filter(
        (condition) =>
          condition !== undefined && isMeant(condition, { name, class: argument.class, form: argument.form }),
      );
    const [first] = present;
    if (meaning.length === 0) return [first];
    return meaning.some((condition) => condition?.origin !== undefined) ? all : withoutOrigins(all);
  });
}

function presentChoices(name: string, { class: kind, form }: ArgumentSpec): readonly AbstractArgument[] {
  const as = (trust: AbstractArgument['trust'], origin: AbstractArgument['origin']) => ({
    name,
    class: kind,
    form,
    trust,
    origin,
  });
  if (kind !== 'VALUE') return [as('UNTRUSTED', 'model'), as('CONTROLLED', 'model'), as('TRUSTED', 'circle')];
  if (form === 'document' || form === 'documents') return [as('UNTRUSTED', 'case')];
  if (form === 'text' || form === 'time') {
    return [as('UNTRUSTED', 'model'), as('UNTRUSTED', 'fact'), as('CONTROLLED', 'fact')];
  }
  return [as('UNTRUSTED', 'model')];
}

function withoutOrigins(choices: readonly Choice[]): readonly Choice[] {
  return choices.filter(
    (choice, index) => choices.findIndex((other) => other?.trust === choice?.trust) === index,
  );
}

function framesOf(options: DomainOptions): readonly Frame[] {
  const { conditions, whole = false } = options;
  const mentioned = <T>(all: readonly T[], pick: (when: When) => readonly T[] | undefined): readonly T[] => {
    if (whole) return all;
    const named = new Set(conditions.flatMap((when) => pick(when) ?? []));
    const other = all.find((value) => !named.has(value));
    return other === undefined ? [...named] : [...named, other];
  };
  const roles = [...new Set(conditions.flatMap((when) => when.role ?? [])), undefined];
  const axes = [
    mentioned<Category>(categories, (when) => when.category).map((category) => ({ category })),
    mentioned(standingsOfCases, (when) => when.standing).map((standing) => ({ standing })),
    ...(['action', 'documents', 'items', 'amount'] as const).map((attribute) =>
      sidesOf(attribute, options).map((value) => ({ [attribute]: value })),
    ),
    roles.map((role) => ({ role })),
  ];
  return [...product<Partial<Frame>>(axes)].map((parts) => Object.assign({}, ...parts) as Frame);
}

/** Both sides of every bound that a condition sets. */
function sidesOf(attribute: CountedAttribute, { conditions, limit }: DomainOptions): readonly number[] {
  const thresholds = conditions
    .flatMap((when) => boundsOf(when, limit))
    .filter((bound) => bound.attribute === attribute)
    .flatMap(({ above, atMost }) => [above, atMost].filter((value) => value !== undefined));
  const least = attribute === 'action' ? 1 : 0;
  const sides = thresholds
    .flatMap((threshold) => [threshold, threshold + 1])
    .filter((value) => value >= least);
  return [...new Set([least, ...sides])];
}

function* product<T>(axes: readonly (readonly T[])[], chosen: readonly T[] = []): Generator<readonly T[]> {
  const [axis, ...rest] = axes;
  if (axis === undefined) yield chosen;
  else for (const value of axis) yield* product(rest, [...chosen, value]);
}
