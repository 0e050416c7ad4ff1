import { EventLog } from './event-log.ts';
import type { Failure } from './failure.ts';
import { type HistoryEvent, stateEvents, stateTypes } from './history.ts';
import type { Machine } from './machine.ts';
import { Payload } from './payload.ts';
import type { Extra, JournalRecord, Note } from './record.ts';
import { type BlockPhase, entered, newScope, type ScheduledPhase, type Scope } from './scope.ts';

/** What the records of an execution add up to. */
export interface Threads {
  readonly machine: Machine;
  readonly root: Scope;
  readonly scopes: Map<string, Scope>;
  readonly events: EventLog;
}

/** The threads of an execution of which nothing has been recorded. */
export function newThreads(machine: Machine, input: Payload): Threads {
  const root = newScope('', machine, input);
  return { machine, root, scopes: new Map([['', root]]), events: new EventLog() };
}

/**
 * Applies one event. The running engine goes through here for everything that it records, and a restarted one
 * for everything that it finds: so both arrive at the same state.
 * @param payload the event's input, output or result, where the caller has it at hand
 */
export function foldEvent(
  threads: Threads,
  scope: Scope,
  event: HistoryEvent,
  extra: Extra | undefined,
  payload?: Payload,
): void {
  const ofState = stateFolds.get(event.type);
  if (ofState === undefined) threads.events.push(event);
  (ofState ?? folds[event.type])?.(threads, scope, event, extra ?? nothing, payload);
}

/** Applies one record of a journal. @throws DamagedRecord for what does not fit to the records before it */
export function foldRecord(threads: Threads, record: JournalRecord): void {
  const scope = scopeOf(threads, record);
  const next = threads.events.length + 1;
  if (record.event !== undefined && record.event.id !== next) throw damaged(`no event ${next}`);
  if (record.note !== undefined) foldNote(threads, scope, record.note);
  if (record.event !== undefined) foldEvent(threads, scope, record.event, record.extra);
}

function scopeOf(threads: Threads, record: JournalRecord): Scope {
  const scope = threads.scopes.get(record.scope);
  if (scope === undefined) throw damaged(`a record of the unknown thread ${record.scope}`);
  return scope;
}

type FoldEvent = (
  threads: Threads,
  scope: Scope,
  event: HistoryEvent,
  extra: Extra,
  payload?: Payload,
) => void;

const folds: Readonly<Record<string, FoldEvent>> = {
  TaskScheduled: (_threads, scope, event, extra) => {
    scope.last = event.id;
    frameOf(scope).phase = {
      kind: 'scheduled',
      token: extra.token,
      deadline: extra.deadline,
      heartbeatSeconds: extra.heartbeatSeconds,
      heartbeatDue: extra.heartbeatDue,
      submitted: false,
      call: undefined,
    };
  },
  TaskStarted: (_threads, scope, event) => {
    scope.last = event.id;
  },
  TaskSubmitted: (_threads, scope, event) => {
    scope.last = event.id;
    scheduledPhase(scope).submitted = true;
  },
  TaskSucceeded: (_threads, scope, event, _extra, payload) => {
    scope.last = event.id;
    frameOf(scope).phase = { kind: 'succeeded', result: payload ?? textOf(event, 'output') };
  },
  TaskFailed: fail,
  TaskTimedOut: fail,
  EvaluationFailed: fail,
  MapStateSucceeded: succeedBlock,
  ParallelStateSucceeded: succeedBlock,
  MapStateFailed: advance,
  ParallelStateFailed: advance,
  MapStateStarted: startMap,
  MapIterationStarted: (threads, scope, event) => {
    startIteration(threads, scope, event);
  },
  MapIterationSucceeded: (threads, scope, event) => {
    const index = Number(event.details?.index);
    const block = blockOf(scope);
    const child = block.children.get(index);
    finishChild(threads, scope, index);
    if (child !== undefined) block.slots.push(child.last);
    block.last = event.id;
  },
  ParallelStateStarted: startParallel,
};

/** A thread enters a state. */
export function foldEntered(
  threads: Threads,
  scope: Scope,
  type: string,
  previous: number,
  timestamp: number,
  name: string,
  input: Payload,
): void {
  threads.events.pushState(type, previous, timestamp, name, input.text);
  const state = scope.flow.states.get(name);
  if (state === undefined) throw damaged(`the unknown state ${name}`);
  const id = threads.events.length;
  scope.begun = true;
  scope.last = id;
  scope.frame = {
    state,
    input,
    enteredEvent: id,
    eventBefore: previous,
    enteredTime: timestamp,
    retries: state.retriers.length === 0 ? none : state.retriers.map(() => 0),
    phase: entered,
  };
}

/** A thread leaves its state without assigning variables. */
export function foldExited(
  threads: Threads,
  scope: Scope,
  type: string,
  previous: number,
  timestamp: number,
  name: string,
  output: Payload,
): void {
  threads.events.pushState(type, previous, timestamp, name, output.text);
  scope.last = threads.events.length;
  scope.frame = undefined;
  scope.output = output;
}

const enter: FoldEvent = (threads, scope, event) => {
  const { type, previousEventId, timestamp, details } = event;
  foldEntered(
    threads,
    scope,
    type,
    previousEventId,
    timestamp,
    String(details?.name),
    textOf(event, 'input'),
  );
};

const exit: FoldEvent = (threads, scope, event, _extra, payload) => {
  const { type, previousEventId, timestamp, details } = event;
  const output = payload ?? textOf(event, 'output');
  const assigned = details?.assignedVariables as Record<string, string> | undefined;
  if (assigned === undefined) {
    foldExited(threads, scope, type, previousEventId, timestamp, String(details?.name), output);
    return;
  }
  threads.events.push(event);
  scope.last = event.id;
  scope.frame = undefined;
  scope.output = output;
  const values = Object.entries(assigned).map(([name, text]) => [name, JSON.parse(text)]);
  scope.variables = { ...scope.variables, ...Object.fromEntries(values) };
};

function fail(_threads: Threads, scope: Scope, event: HistoryEvent, extra: Extra): void {
  scope.last = event.id;
  frameOf(scope).phase = { kind: 'failed', failure: extra.failure ?? failureOf(event) };
}

function failureOf(event: HistoryEvent): Failure {
  const { error, cause } = (event.details ?? {}) as { error?: string; cause?: string };
  return { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) };
}

function advance(_threads: Threads, scope: Scope, event: HistoryEvent): void {
  scope.last = event.id;
}

/** The exit chains from the same event as the success. */
function succeedBlock(_threads: Threads, scope: Scope, event: HistoryEvent): void {
  const texts = blockOf(scope).outputs.map((output) => output?.text ?? 'null');
  scope.last = event.previousEventId;
  frameOf(scope).phase = { kind: 'succeeded', result: Payload.parse(`[${texts.join(',')}]`) };
}

function newBlock(
  started: number,
  inputs: readonly Payload[],
  items: readonly Payload[],
  slots: number,
): BlockPhase {
  return {
    kind: 'block',
    started,
    inputs,
    items,
    outputs: inputs.map(() => undefined),
    children: new Map(),
    slots: Array.from({ length: slots }, () => started),
    nextItem: 0,
    last: started,
    finished: 0,
  };
}

function startMap(_threads: Threads, scope: Scope, event: HistoryEvent, extra: Extra): void {
  scope.last = event.id;
  const items = (extra.items ?? []).map((text) => Payload.parse(text));
  const inputs = extra.inputs?.map((text) => Payload.parse(text)) ?? items;
  frameOf(scope).phase = newBlock(event.id, inputs, items, extra.concurrency ?? 1);
}

/** The record is the Map's own; the iteration gets a thread that chains from the event. */
function startIteration(threads: Threads, scope: Scope, event: HistoryEvent): void {
  const { state } = frameOf(scope);
  const index = Number(event.details?.index);
  const block = blockOf(scope);
  const [input, value] = [block.inputs[index], block.items[index]];
  if (state.type !== 'Map' || input === undefined || value === undefined)
    throw damaged(`the item ${index} of no Map`);
  const slot = block.slots.indexOf(event.previousEventId);
  if (slot !== -1) block.slots.splice(slot, 1);
  block.nextItem = index + 1;
  const item = { index, value };
  addChild(
    threads,
    block,
    newScope(`${block.started}.${index}`, state.processor, input, {
      parent: scope,
      index,
      last: event.id,
      item,
    }),
  );
}

function startParallel(threads: Threads, scope: Scope, event: HistoryEvent, extra: Extra): void {
  const { state, input } = frameOf(scope);
  if (state.type !== 'Parallel') throw damaged('branches of no Parallel');
  scope.last = event.id;
  const [given] = extra.inputs ?? [];
  const branchInput = given === undefined ? input : Payload.parse(given);
  const inputs = state.branches.map(() => branchInput);
  const block = newBlock(event.id, inputs, inputs, 0);
  frameOf(scope).phase = block;
  state.branches.forEach((flow, index) => {
    addChild(
      threads,
      block,
      newScope(`${event.id}.${index}`, flow, branchInput, { parent: scope, index, last: event.id }),
    );
  });
}

function addChild(threads: Threads, block: BlockPhase, child: Scope): void {
  block.children.set(child.index, child);
  threads.scopes.set(child.key, child);
}

/** Takes the output of a branch or iteration that has come to its end. */
export function finishChild(threads: Threads, scope: Scope, index: number): void {
  const block = blockOf(scope);
  const child = block.children.get(index);
  if (child?.output === undefined) throw damaged(`the end of the branch ${index}, which has no output`);
  block.outputs[index] = child.output;
  block.finished += 1;
  block.children.delete(index);
  threads.scopes.delete(child.key);
}

/** Applies what AWS's history does not show. */
export function foldNote(threads: Threads, scope: Scope, note: Note): void {
  const frame = frameOf(scope);
  switch (note.note) {
    case 'wait':
      frame.phase = { kind: 'waiting', until: note.until };
      return;
    case 'retry':
      frame.retries[note.retrier] = (frame.retries[note.retrier] ?? 0) + 1;
      frame.phase = { kind: 'retrying', until: note.until };
      return;
    case 'heartbeat':
      scheduledPhase(scope).heartbeatDue = note.due;
      return;
    case 'block-failed':
      removeChildren(threads, scope);
      frame.phase = { kind: 'failed', failure: note.failure };
      scope.last = note.from;
  }
}

function removeChildren(threads: Threads, scope: Scope): void {
  if (scope.frame?.phase.kind !== 'block') return;
  for (const child of scope.frame.phase.children.values()) {
    removeChildren(threads, child);
    threads.scopes.delete(child.key);
  }
}

function frameOf(scope: Scope) {
  if (scope.frame === undefined) throw damaged('an event outside of any state');
  return scope.frame;
}

function blockOf(scope: Scope): BlockPhase {
  const { phase } = frameOf(scope);
  if (phase.kind !== 'block') throw damaged('an iteration outside of any Map');
  return phase;
}

function scheduledPhase(scope: Scope): ScheduledPhase {
  const { phase } = frameOf(scope);
  if (phase.kind !== 'scheduled') throw damaged('an event of a task that was not scheduled');
  return phase;
}

function textOf(event: HistoryEvent, member: string): Payload {
  const text = event.details?.[member];
  if (typeof text !== 'string') throw damaged(`an event without its ${member}`);
  return Payload.parse(text);
}

/** A record that cannot have been written after the records before it. */
export class DamagedRecord extends Error {}

function damaged(what: string): DamagedRecord {
  return new DamagedRecord(`the journal has ${what}`);
}

const none: number[] = [];
const nothing: Extra = {};

/** These also add the event to the history, in its short form. */
const stateFolds: ReadonlyMap<string, FoldEvent> = new Map([
  ...stateTypes.map((type) => [stateEvents[type].entered, enter] as const),
  ...stateTypes.map((type) => [stateEvents[type].exited, exit] as const),
]);
