import type { Execution } from './execution.ts';
import { type Fields, fieldsAt, list, oneOf, optionalNumber, optionalText, requiredText } from './fields.ts';
import { limits } from './limits.ts';
import type { Loading } from './machine.ts';
import { definitionRefused } from './refusal.ts';
import type { Frame, Scope } from './scope.ts';
import type { Steps } from './steps.ts';
import { type Template, template } from './template.ts';

/** The values for the variables that a state, a Choice rule or a Catch clause assigns. */
export type Assignments = readonly (readonly [string, Template])[];

/** What a state does when it is left. */
export interface Departure {
  readonly output?: Template | undefined;
  readonly assign: Assignments;
  /** The state that comes next; none where the flow ends. */
  readonly next?: string | undefined;
}

export interface Retrier {
  readonly errorEquals: readonly string[];
  readonly intervalSeconds: number;
  readonly maxAttempts: number;
  readonly backoffRate: number;
  readonly maxDelaySeconds: number;
  readonly jitter: boolean;
}

export interface Catcher extends Departure {
  readonly errorEquals: readonly string[];
  readonly next: string;
}

/** What every state has. */
export interface BaseState extends Departure {
  readonly name: string;
  readonly retriers: readonly Retrier[];
  readonly catchers: readonly Catcher[];
  /** Every state that this one can lead to. */
  readonly targets: readonly string[];
}

/** One state type: the fields that its definition may have, how it is loaded, and what it does. */
export interface Behaviour<S extends BaseState> {
  readonly fields: readonly string[];
  load(name: string, fields: Fields, loading: Loading): S;
  /**
   * Runs from the frame's phase on, which after a restart may be a later one than `entered`. Returns nothing if
   * it is done at once, else the steps that remain.
   */
  run(execution: Execution, scope: Scope, frame: Frame<S>): Steps<void> | undefined;
}

/** Fields of a flow inside of a state. */
export const flowFields = ['StartAt', 'States'] as const;

/** Fields of every state type. */
export const commonFields = ['Type', 'Comment', 'QueryLanguage'] as const;
export const departureFields = ['Output', 'Assign', 'Next', 'End'] as const;
export const errorFields = ['Retry', 'Catch'] as const;

/** A field with expressions, if it is there. The location in events is the field's own name. */
export function optionalTemplate(
  fields: Fields,
  name: string,
  loading: Loading,
  location = name,
): Template | undefined {
  if (!(name in fields.values)) return undefined;
  return template(fields.values[name], location, `${fields.path}/${name}`, loading.expressions);
}

/** Loads what all states share. A state either goes on (`Next`) or ends its flow (`End`). */
export function baseState(name: string, fields: Fields, loading: Loading): BaseState {
  optionalText(fields, 'Comment');
  const next = optionalText(fields, 'Next');
  const end = fields.values.End;
  if (end !== undefined && typeof end !== 'boolean') {
    throw definitionRefused('The value must be a boolean', `${fields.path}/End`);
  }
  if ((next === undefined) !== (end === true)) {
    throw definitionRefused("Exactly one of 'Next' and 'End' is required", fields.path);
  }
  const catchers = list(fields, 'Catch').map((value, index) => loadCatcher(value, index, fields, loading));
  return {
    name,
    ...loadDeparture(fields, loading, ''),
    next,
    retriers: list(fields, 'Retry').map((value, index) =>
      loadRetrier(value, `${fields.path}/Retry/${index}`),
    ),
    catchers,
    targets: [...(next === undefined ? [] : [next]), ...catchers.map((catcher) => catcher.next)],
  };
}

/** `Output` and `Assign` of a state, a Choice rule or a Catch clause. */
export function loadDeparture(fields: Fields, loading: Loading, prefix: string): Departure {
  return {
    output: optionalTemplate(fields, 'Output', loading, `${prefix}Output`),
    assign: loadAssignments(fields, loading, `${prefix}Assign`),
  };
}

function loadAssignments(fields: Fields, loading: Loading, location: string): Assignments {
  const value = fields.values.Assign;
  if (value === undefined) return [];
  const path = `${fields.path}/Assign`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw definitionRefused('The value must be an object', path);
  }
  return Object.entries(value).map(([name, assigned]) => {
    const named =
      /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && name.length <= limits.variableNameLength;
    if (!named || name === 'states') throw definitionRefused(`'${name}' cannot be a variable's name`, path);
    return [name, template(assigned, `${location}/${name}`, `${path}/${name}`, loading.expressions)] as const;
  });
}

const retryFields = [
  'Comment',
  'ErrorEquals',
  'IntervalSeconds',
  'MaxAttempts',
  'BackoffRate',
  'MaxDelaySeconds',
  'JitterStrategy',
];

function loadRetrier(value: unknown, path: string): Retrier {
  const fields = fieldsAt(value, path, retryFields);
  return {
    errorEquals: loadErrorEquals(fields),
    intervalSeconds: optionalNumber(fields, 'IntervalSeconds', { minimum: 1, maximum: limits.seconds }) ?? 1,
    maxAttempts: optionalNumber(fields, 'MaxAttempts', { minimum: 0, maximum: limits.seconds }) ?? 3,
    backoffRate: optionalNumber(fields, 'BackoffRate', { minimum: 1, fraction: true }) ?? 2,
    maxDelaySeconds:
      optionalNumber(fields, 'MaxDelaySeconds', { minimum: 1, maximum: 31_622_400 }) ??
      Number.POSITIVE_INFINITY,
    jitter: oneOf(fields, 'JitterStrategy', ['FULL', 'NONE']) === 'FULL',
  };
}

function loadCatcher(value: unknown, index: number, state: Fields, loading: Loading): Catcher {
  const fields = fieldsAt(value, `${state.path}/Catch/${index}`, [
    'Comment',
    'ErrorEquals',
    'Output',
    'Assign',
    'Next',
  ]);
  return {
    errorEquals: loadErrorEquals(fields),
    next: requiredText(fields, 'Next'),
    ...loadDeparture(fields, loading, `Catch/${index}/`),
  } as Catcher;
}

function loadErrorEquals(fields: Fields): readonly string[] {
  const names = list(fields, 'ErrorEquals');
  const path = `${fields.path}/ErrorEquals`;
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw definitionRefused('The value must be an array of error names', path);
  }
  if (names.includes('States.ALL') && names.length > 1) {
    throw definitionRefused("'States.ALL' must stand alone", path);
  }
  return names;
}
