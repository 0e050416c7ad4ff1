/** An event of a history as the engine keeps it: AWS's fields, the details without the name of their object. */
export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly type: string;
  readonly details?: Details | undefined;
}

export type Details = Readonly<Record<string, unknown>>;

export const stateTypes = ['Choice', 'Fail', 'Map', 'Parallel', 'Pass', 'Succeed', 'Task', 'Wait'] as const;
export type StateType = (typeof stateTypes)[number];

/** The names of the states' own events, made once. */
export const stateEvents = Object.fromEntries(
  stateTypes.map((type) => [type, { entered: `${type}StateEntered`, exited: `${type}StateExited` }]),
) as Readonly<Record<StateType, { readonly entered: string; readonly exited: string }>>;

/** What AWS writes beside every input and output that it shows whole. */
export const whole = { truncated: false } as const;

const withoutDetails = new Set([
  'MapStateFailed',
  'MapStateSucceeded',
  'MapStateAborted',
  'ParallelStateStarted',
  'ParallelStateSucceeded',
  'ParallelStateFailed',
  'ParallelStateAborted',
  'TaskStateAborted',
  'WaitStateAborted',
]);

/** The name of an event's details object in AWS's API, or nothing for a type that has none. */
export function detailsKey(type: string): string | undefined {
  if (type.endsWith('StateEntered')) return 'stateEnteredEventDetails';
  if (type.endsWith('StateExited')) return 'stateExitedEventDetails';
  if (withoutDetails.has(type)) return undefined;
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
}

/** The members of details that hold data, and can be left out of an answer. */
const dataMembers = ['input', 'output', 'parameters', 'assignedVariables', 'cause', 'error'];

/** An event in the form of the API: the timestamp in epoch seconds. */
export function wireEvent(event: HistoryEvent, withData: boolean): Record<string, unknown> {
  const { id, previousEventId, timestamp, type, details } = event;
  const key = detailsKey(type);
  const wire = { id, previousEventId, timestamp: timestamp / 1000, type };
  if (key === undefined) return wire;
  return { ...wire, [key]: withData ? (details ?? {}) : withoutData(details ?? {}) };
}

function withoutData(details: Details): Details {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !dataMembers.includes(name)));
}

/** The member that holds the data of a state's Entered or Exited; nothing for any other event. */
export function stateData(type: string): 'input' | 'output' | undefined {
  if (type.endsWith('StateEntered')) return 'input';
  return type.endsWith('StateExited') ? 'output' : undefined;
}
