import { isArn, isLike } from './pattern.ts';

/** What a request says of itself, by condition key. Several values make a key multivalued. */
export type Context = Readonly<Record<string, string | readonly string[]>>;

type Compare = (wanted: string, given: string) => boolean;

const numeric =
  (compare: (wanted: number, given: number) => boolean): Compare =>
  (wanted, given) => {
    const numbers = [Number(wanted), Number(given)] as const;
    return numbers.every(Number.isFinite) && compare(...numbers);
  };

/** Operators that ask for a match; each has a negated one. */
const positive: Readonly<Record<string, Compare>> = {
  StringEquals: (wanted, given) => wanted === given,
  StringEqualsIgnoreCase: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
  StringLike: isLike,
  ArnEquals: isArn,
  ArnLike: isArn,
  Bool: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
  NumericEquals: numeric((wanted, given) => given === wanted),
  NumericLessThan: numeric((wanted, given) => given < wanted),
  NumericLessThanEquals: numeric((wanted, given) => given <= wanted),
  NumericGreaterThan: numeric((wanted, given) => given > wanted),
  NumericGreaterThanEquals: numeric((wanted, given) => given >= wanted),
};

const negatedOf: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
  NumericNotEquals: 'NumericEquals',
};

interface Operator {
  readonly name: string;
  readonly compare: Compare;
  readonly negated: boolean;
  readonly ifExists: boolean;
  readonly set: 'ForAllValues' | 'ForAnyValue' | undefined;
}

/** Takes an operator apart. One that is not known is an error: passed over, it would widen what a policy allows. */
function operatorOf(written: string): Operator {
  const [, set, rest = ''] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(written) ?? [];
  const ifExists = rest.endsWith('IfExists');
  const name = ifExists ? rest.slice(0, -'IfExists'.length) : rest;
  const negated = Object.hasOwn(negatedOf, name);
  const compare = positive[negated ? (negatedOf[name] ?? '') : name];
  if (compare === undefined) throw new Error(`condition operator \`${written}\` is not known`);
  return { name, compare, negated, ifExists, set: set as Operator['set'] };
}

/** Whether every operator and every key of a `Condition` element holds for a request. */
export function holds(
  condition: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> | undefined,
  context: Context,
): boolean {
  const lower = new Map(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.entries(condition ?? {}).every(([written, keys]) =>
    Object.entries(keys).every(([key, wanted]) => {
      const found = lower.get(key.toLowerCase());
      const given = found === undefined ? undefined : typeof found === 'string' ? [found] : found;
      if (wanted.some((value) => value.includes('${')))
        throw new Error(`policy variable in \`${key}\` is not known`);
      return written === 'Null'
        ? isAbsent(given) === isTrue(wanted)
        : compared(operatorOf(written), wanted, given, key);
    }),
  );
}

function isAbsent(given: readonly string[] | undefined): boolean {
  return given === undefined || given.length === 0;
}

function isTrue(wanted: readonly string[]): boolean {
  const [value, ...others] = wanted;
  if (others.length > 0 || (value !== 'true' && value !== 'false'))
    throw new Error('`Null` takes `true` or `false`');
  return value === 'true';
}

function compared(
  { name, compare, negated, ifExists, set }: Operator,
  wanted: readonly string[],
  given: readonly string[] | undefined,
  key: string,
): boolean {
  if (isAbsent(given) || given === undefined) {
    if (ifExists) return true;
    // All of no values are what they have to be, and none of them is; without a set, what is not there is not equal.
    return set === undefined ? negated : set === 'ForAllValues';
  }
  const agrees = (value: string): boolean => wanted.some((one) => compare(one, value)) !== negated;
  switch (set) {
    case 'ForAllValues':
      return given.every(agrees);
    case 'ForAnyValue':
      return given.some(agrees);
    default:
      if (given.length !== 1) throw new Error(`\`${name}\` compares one value, and \`${key}\` has several`);
      return given.every(agrees);
  }
}
