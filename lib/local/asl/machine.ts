import type { Expressions } from './expression.ts';
import { type Fields, fieldsAt, oneOf, optionalNumber, optionalText, requiredText } from './fields.ts';
import { limits } from './limits.ts';
import { isTooLarge } from './payload.ts';
import { definitionRefused, StatesRefusal } from './refusal.ts';
import { behaviours, isStateType, type State } from './states/dispatch.ts';

/** States that run one after the other: a machine, a branch of a Parallel, or what a Map does with an item. */
export interface Flow {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}

export interface Machine extends Flow {
  readonly timeoutSeconds: number | undefined;
  /** What its states do, by type. */
  readonly behaviours: typeof behaviours;
}

/** What all parts of one definition share while it is loaded. */
export interface Loading {
  readonly expressions: Expressions;
  /** State names are unique in the whole machine. */
  readonly names: Set<string>;
  /** Loads a flow inside of a state. */
  readonly loadFlow: (fields: Fields, loading: Loading) => Flow;
}

export const machineFields = [
  'Comment',
  'QueryLanguage',
  'StartAt',
  'States',
  'TimeoutSeconds',
  'Version',
] as const;

/**
 * Loads a definition (Amazon States Language, https://states-language.net/spec.html, JSONata only).
 * @throws StatesRefusal `InvalidDefinition` naming the path of whatever this engine does not implement
 */
export function loadMachine(text: string, expressions: Expressions): Machine {
  if (isTooLarge(text, limits.definitionBytes)) throw definitionRefused('The definition is over 1 MiB', '');
  const fields = fieldsAt(parse(text), '', machineFields);
  optionalText(fields, 'Comment');
  oneOf(fields, 'Version', ['1.0']);
  requireJsonata(fields, true);
  const timeoutSeconds = optionalNumber(fields, 'TimeoutSeconds', { minimum: 1, maximum: limits.seconds });
  const flow = loadFlow(fields, { expressions, names: new Set(), loadFlow });
  return { ...flow, timeoutSeconds, behaviours };
}

/** Loads `StartAt` and `States` and checks that every transition leads somewhere. */
function loadFlow(fields: Fields, loading: Loading): Flow {
  const startAt = requiredText(fields, 'StartAt');
  const raw = fields.values.States;
  const statesPath = `${fields.path}/States`;
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw definitionRefused("The field 'States' must be an object", fields.path);
  }
  const states = new Map<string, State>();
  for (const [name, value] of Object.entries(raw)) {
    states.set(name, loadState(name, value, `${statesPath}/${name}`, loading));
  }
  if (!states.has(startAt)) throw missingTarget('StartAt', startAt, `${fields.path}/StartAt`);
  for (const [name, state] of states) {
    for (const target of state.targets) {
      if (!states.has(target)) throw missingTarget('Next', target, `${statesPath}/${name}`);
    }
  }
  return { startAt, states };
}

function loadState(name: string, value: unknown, path: string, loading: Loading): State {
  if (name.length === 0 || name.length > limits.nameLength) {
    throw definitionRefused(`A state's name has 1 to ${limits.nameLength} characters`, path);
  }
  if (loading.names.has(name)) throw definitionRefused(`The state name '${name}' is used twice`, path);
  loading.names.add(name);
  const type = (value as { Type?: unknown } | null)?.Type;
  if (!isStateType(type)) throw definitionRefused('The state type is not supported', `${path}/Type`);
  const behaviour = behaviours[type];
  const fields = fieldsAt(value, path, behaviour.fields);
  requireJsonata(fields, false);
  return behaviour.load(name, fields, loading);
}

function requireJsonata(fields: Fields, always: boolean): void {
  const language = optionalText(fields, 'QueryLanguage');
  if (language === 'JSONata' || (language === undefined && !always)) return;
  throw definitionRefused('Only the query language JSONata is supported', `${fields.path}/QueryLanguage`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StatesRefusal(
      'InvalidDefinition',
      "Invalid State Machine Definition: 'INVALID_JSON_DESCRIPTION: The definition is not JSON'",
    );
  }
}

function missingTarget(field: string, target: string, path: string): StatesRefusal {
  return new StatesRefusal(
    'InvalidDefinition',
    `Invalid State Machine Definition: 'MISSING_TRANSITION_TARGET: Missing '${field}' target: ${target} at ${path}'`,
  );
}
