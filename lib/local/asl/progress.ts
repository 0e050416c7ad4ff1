import { blockFailed, childDone } from './block.ts';
import { contextOf } from './context.ts';
import type { Execution } from './execution.ts';
import { leaveBehind } from './execution.ts';
import type { Bindings } from './expression.ts';
import {
  dataLimitExceeded,
  errorOutput,
  type Failure,
  matches,
  QueryError,
  TerminalError,
} from './failure.ts';
import { uniform } from './functions.ts';
import { type Details, stateEvents, whole } from './history.ts';
import { Payload } from './payload.ts';
import { entered, type Frame, type Scope } from './scope.ts';
import type { Behaviour, Departure, Retrier } from './state.ts';
import type { State } from './states/dispatch.ts';
import type { Steps } from './steps.ts';
import { evaluate, evaluatePayload } from './template.ts';

/** Runs one thread of states from wherever its records end: to its end, its failure, or the next pause. */
export function* runThread(execution: Execution, scope: Scope): Steps<void> {
  if (!scope.begun) enter(execution, scope, scope.flow.startAt, scope.input);
  while (scope.frame !== undefined && !scope.closed) {
    const { frame } = scope;
    try {
      const steps = advance(execution, scope, frame);
      if (steps !== undefined) yield* steps;
    } catch (error) {
      if (error instanceof QueryError) evaluationFailed(execution, scope, frame, error);
      else if (error instanceof TerminalError) fail(execution, scope, error.failure);
      else throw error;
    }
  }
  if (!scope.closed) flowEnded(execution, scope);
}

function advance(execution: Execution, scope: Scope, frame: Frame): Steps<void> | undefined {
  switch (frame.phase.kind) {
    case 'failed':
      return handleFailure(execution, scope, frame, frame.phase.failure);
    case 'retrying':
      return retry(execution, scope, frame, frame.phase.until);
    default: {
      // The machine pairs each type with its behaviour; the compiler cannot see that through the union.
      const { run } = execution.threads.machine.behaviours[frame.state.type] as Behaviour<State>;
      return run(execution, scope, frame);
    }
  }
}

function* retry(execution: Execution, scope: Scope, frame: Frame, until: number): Steps<void> {
  yield* execution.until(scope, until);
  frame.phase = entered;
}

/** Enters a state of the thread. */
function enter(execution: Execution, scope: Scope, name: string, input: Payload): void {
  const { type } = scope.flow.states.get(name) as State;
  execution.recordEntered(scope, stateEvents[type].entered, name, input);
}

/** What expressions see in some fields only. */
export interface Values {
  readonly result?: Payload;
  readonly errorOutput?: unknown;
  readonly token?: string | undefined;
}

/** What expressions see, made when the first of them asks. */
export function bindingsOf(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  more: Values = {},
): () => Bindings {
  let made: Bindings | undefined;
  return () => {
    made ??= {
      ...scope.variables,
      states: {
        input: frame.input.value,
        context: contextOf(execution, scope, frame, more.token),
        ...(more.result === undefined ? {} : { result: more.result.value }),
        ...('errorOutput' in more ? { errorOutput: more.errorOutput } : {}),
      },
    };
    return made;
  };
}

/**
 * Leaves a state as a departure says: output and variables are evaluated over the values at entry. Where
 * neither has an expression there is nothing to wait for, and the state is left when this returns.
 * @param fallback the output where the departure has none
 * @param values what expressions see beside the input
 */
export function leave(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  departure: Departure,
  fallback: Payload,
  values?: Values,
): Steps<void> | undefined {
  const { output, assign } = departure;
  if (assign.length > 0 || (output !== undefined && output.kind !== 'constant')) {
    return evaluateAndLeave(execution, scope, frame, departure, fallback, values);
  }
  exit(execution, scope, frame, departure.next, output === undefined ? fallback : output.payload);
  return undefined;
}

function* evaluateAndLeave(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  departure: Departure,
  fallback: Payload,
  values: Values | undefined,
): Steps<void> {
  const bindings = bindingsOf(execution, scope, frame, values);
  const output =
    departure.output === undefined ? fallback : yield* evaluatePayload(departure.output, bindings);
  const assigned: [string, string][] = [];
  for (const [name, value] of departure.assign) {
    assigned.push([name, JSON.stringify(yield* evaluate(value, bindings))]);
  }
  exit(execution, scope, frame, departure.next, output, assigned.length === 0 ? undefined : assigned);
}

/** The exit and the next entry (or the end) are recorded together, so that no crash comes between them. */
function exit(
  execution: Execution,
  scope: Scope,
  { state }: Frame,
  next: string | undefined,
  output: Payload,
  assigned?: readonly [string, string][],
): void {
  if (output.isTooLarge) throw dataLimitExceeded(state.name);
  leaveBehind(scope);
  const { exited } = stateEvents[state.type];
  if (assigned === undefined) execution.recordExited(scope, exited, state.name, output);
  else execution.record(scope, exited, exitDetails(state.name, output, assigned), scope.last, output);
  if (next !== undefined) enter(execution, scope, next, output);
  else flowEnded(execution, scope);
}

function exitDetails(name: string, output: Payload, assigned: readonly [string, string][]): Details {
  return {
    name,
    output: output.text,
    outputDetails: whole,
    assignedVariables: Object.fromEntries(assigned),
    assignedVariablesDetails: whole,
  };
}

/** Leaves a state whose result is known: its own Output and Assign apply. */
export function leaveSucceeded(execution: Execution, scope: Scope, frame: Frame): Steps<void> | undefined {
  if (frame.phase.kind !== 'succeeded') return undefined;
  const { result } = frame.phase;
  return leave(execution, scope, frame, frame.state, result, { result });
}

/** The thread has no state left. May be called again after a restart, which finds the exit but not the end. */
function flowEnded(execution: Execution, scope: Scope): void {
  const { output, parent } = scope;
  if (scope.closed || output === undefined) return;
  scope.closed = true;
  if (parent === undefined) execution.succeed(output);
  else childDone(execution, parent, scope);
}

function evaluationFailed(execution: Execution, scope: Scope, frame: Frame, error: QueryError): void {
  const cause = `An error occurred while executing the state '${frame.state.name}' (entered at the event id #${frame.enteredEvent}). ${error.message}`;
  const failure: Failure = { error: 'States.QueryEvaluationError', cause };
  const before = scope.last === frame.enteredEvent && !error.afterEntry ? frame.eventBefore : scope.last;
  const handling = frame.phase.kind === 'failed';
  const location = error.location === undefined ? {} : { location: error.location };
  leaveBehind(scope);
  execution.record(scope, 'EvaluationFailed', { ...failure, ...location, state: frame.state.name }, before);
  // An error in a Catch clause is not caught by its own state.
  if (handling) fail(execution, scope, failure);
}

/** A failed state is retried, or goes on where a Catch clause says, or fails what it is part of. */
function handleFailure(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  failure: Failure,
): Steps<void> | undefined {
  leaveBehind(scope);
  const { state } = frame;
  const index = state.retriers.findIndex((retrier) => matches(retrier.errorEquals, failure));
  const retrier = state.retriers[index];
  const used = frame.retries[index] ?? 0;
  if (retrier !== undefined && used < retrier.maxAttempts) {
    const until = execution.host.clock.now() + delay(execution, retrier, used);
    execution.note(scope, { note: 'retry', until, retrier: index });
    execution.host.fault?.('retry-recorded');
    return undefined;
  }
  const catcher = state.catchers.find(({ errorEquals }) => matches(errorEquals, failure));
  if (catcher === undefined) {
    fail(execution, scope, failure);
    return undefined;
  }
  recordBlockFailed(execution, scope, frame);
  const output = errorOutput(failure);
  return leave(execution, scope, frame, catcher, Payload.of(output), { errorOutput: output });
}

/** The pause before a retry, in milliseconds. */
function delay(execution: Execution, retrier: Retrier, used: number): number {
  const seconds = Math.min(retrier.intervalSeconds * retrier.backoffRate ** used, retrier.maxDelaySeconds);
  return Math.round(seconds * 1000 * (retrier.jitter ? uniform(execution.host.randomness) : 1));
}

/** Ends a thread that cannot go on: the execution fails, or the block that the thread is part of. */
function fail(execution: Execution, scope: Scope, failure: Failure): void {
  if (scope.frame !== undefined) recordBlockFailed(execution, scope, scope.frame);
  if (scope.parent === undefined) execution.fail(failure);
  else blockFailed(execution, scope.parent, scope, failure);
}

function recordBlockFailed(execution: Execution, scope: Scope, { state }: Frame): void {
  if (state.type !== 'Map' && state.type !== 'Parallel') return;
  const type = `${state.type}StateFailed`;
  // After a restart it may have been recorded already.
  if (execution.threads.events.typeOf(scope.last) !== type) execution.record(scope, type, undefined);
}

/** Fails the state that a thread is in, from its own behaviour: the events that say so chain from its last one. */
export { fail as failThread };
