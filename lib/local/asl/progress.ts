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
import { whole } from './history.ts';
import { Payload } from './payload.ts';
import { entered, type Frame, type Scope } from './scope.ts';
import type { Departure, Retrier } from './state.ts';
import { behaviours, type State } from './states/dispatch.ts';
import type { Steps } from './steps.ts';
import { evaluate, evaluatePayload } from './template.ts';

/** Runs one thread of states from wherever its records end: to its end, its failure, or the next pause. */
export function* runThread(execution: Execution, scope: Scope): Steps<void> {
  if (!scope.begun) enter(execution, scope, scope.flow.startAt, scope.input);
  while (scope.frame !== undefined && !scope.closed) {
    const { frame } = scope;
    try {
      yield* advance(execution, scope, frame);
    } catch (error) {
      if (error instanceof QueryError) evaluationFailed(execution, scope, frame, error);
      else if (error instanceof TerminalError) fail(execution, scope, error.failure);
      else throw error;
    }
  }
  if (!scope.closed) flowEnded(execution, scope);
}

function* advance(execution: Execution, scope: Scope, frame: Frame): Steps<void> {
  switch (frame.phase.kind) {
    case 'failed':
      return yield* handleFailure(execution, scope, frame, frame.phase.failure);
    case 'retrying':
      yield* execution.until(scope, frame.phase.until);
      frame.phase = entered;
      return;
    default: {
      // The dispatch pairs each type with its behaviour; the compiler cannot see that through the union.
      const run = behaviours[frame.state.type].run as (e: Execution, s: Scope, f: Frame) => Steps<void>;
      yield* run(execution, scope, frame);
    }
  }
}

/** Enters a state of the thread. */
function enter(execution: Execution, scope: Scope, name: string, input: Payload): void {
  const { type } = scope.flow.states.get(name) as State;
  execution.record(
    scope,
    `${type}StateEntered`,
    { name, input: input.text, inputDetails: whole },
    { payload: input },
  );
}

/** What expressions see, made when the first of them asks. */
export function bindingsOf(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  more: { result?: Payload; errorOutput?: unknown; token?: string | undefined } = {},
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
 * Leaves a state as a departure says: output and variables are evaluated over the values at entry, then the
 * exit and the next entry (or the end) are recorded together, so that no crash comes between them.
 * @param fallback the output where the departure has none
 */
export function* leave(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  departure: Departure,
  fallback: Payload,
  bindings: () => Bindings,
): Steps<void> {
  const output =
    departure.output === undefined ? fallback : yield* evaluatePayload(departure.output, bindings);
  const assigned: [string, string][] = [];
  for (const [name, value] of departure.assign) {
    assigned.push([name, JSON.stringify(yield* evaluate(value, bindings))]);
  }
  if (output.isTooLarge) throw dataLimitExceeded(frame.state.name);
  const variables = { assignedVariables: Object.fromEntries(assigned), assignedVariablesDetails: whole };
  leaveBehind(scope);
  const { name, type } = frame.state;
  const details = { name, output: output.text, outputDetails: whole };
  const all = assigned.length === 0 ? details : { ...details, ...variables };
  execution.record(scope, `${type}StateExited`, all, { payload: output });
  if (departure.next !== undefined) enter(execution, scope, departure.next, output);
  else flowEnded(execution, scope);
}

/** Leaves a state whose result is known: its own Output and Assign apply. */
export function* leaveSucceeded(execution: Execution, scope: Scope, frame: Frame): Steps<void> {
  if (frame.phase.kind !== 'succeeded') return;
  const { result } = frame.phase;
  yield* leave(execution, scope, frame, frame.state, result, bindingsOf(execution, scope, frame, { result }));
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
  execution.record(
    scope,
    'EvaluationFailed',
    { ...failure, ...location, state: frame.state.name },
    { previous: before },
  );
  // An error in a Catch clause is not caught by its own state.
  if (handling) fail(execution, scope, failure);
}

/** A failed state is retried, or goes on where a Catch clause says, or fails what it is part of. */
function* handleFailure(execution: Execution, scope: Scope, frame: Frame, failure: Failure): Steps<void> {
  leaveBehind(scope);
  const { state } = frame;
  const index = state.retriers.findIndex((retrier) => matches(retrier.errorEquals, failure));
  const retrier = state.retriers[index];
  const used = frame.retries[index] ?? 0;
  if (retrier !== undefined && used < retrier.maxAttempts) {
    const until = execution.host.clock.now() + delay(execution, retrier, used);
    execution.note(scope, { note: 'retry', until, retrier: index });
    execution.host.fault?.('retry-recorded');
    return;
  }
  const catcher = state.catchers.find(({ errorEquals }) => matches(errorEquals, failure));
  if (catcher === undefined) return fail(execution, scope, failure);
  recordBlockFailed(execution, scope, frame);
  const output = errorOutput(failure);
  const bindings = bindingsOf(execution, scope, frame, { errorOutput: output });
  yield* leave(execution, scope, frame, catcher, Payload.of(output), bindings);
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
  if (execution.threads.events.at(scope.last - 1)?.type !== type) execution.record(scope, type, undefined);
}

/** Fails the state that a thread is in, from its own behaviour: the events that say so chain from its last one. */
export { fail as failThread };
