import { isCaregateError } from '../../errors.ts';
import { CallContext } from './call-context.ts';
import type { Execution, FunctionError } from './execution.ts';
import { lapse, leaveBehind } from './execution.ts';
import type { Failure } from './failure.ts';
import { whole } from './history.ts';
import { Payload } from './payload.ts';
import type { ScheduledPhase, Scope } from './scope.ts';

/** A function and what it gets. */
export interface Call {
  readonly functionName: string;
  readonly payload: unknown;
}

/** What every event of a task says of its resource. */
export type TaskAbout = Readonly<Record<'resourceType' | 'resource', string>>;

/** The scheduled task of a thread; nothing if its outcome is known already. */
export function scheduledTask(scope: Scope): ScheduledPhase | undefined {
  const phase = scope.frame?.phase;
  return phase?.kind === 'scheduled' && !scope.closed ? phase : undefined;
}

/** Makes the token acceptable and the due times effective. */
export function expectOutcome(execution: Execution, scope: Scope): void {
  const phase = scheduledTask(scope);
  if (phase === undefined) return;
  const { token, deadline } = phase;
  if (token !== undefined) {
    execution.host.tokens.set(token, { execution, scope, phase });
    scope.cleanup.add(() => execution.host.tokens.delete(token));
  }
  if (deadline !== undefined) execution.at(scope, deadline, () => timedOut(execution, scope, phase, false));
  expectHeartbeat(execution, scope, phase);
}

function expectHeartbeat(execution: Execution, scope: Scope, phase: ScheduledPhase): void {
  const { heartbeatDue: due } = phase;
  if (due === undefined) return;
  execution.at(scope, due, () => {
    if (scheduledTask(scope) !== phase) return;
    if (phase.heartbeatDue === due) timedOut(execution, scope, phase, true);
    else expectHeartbeat(execution, scope, phase);
  });
}

/** Calls the function. Its call has been recorded, so that a restart knows of it. */
export function callFunction(execution: Execution, scope: Scope, call: Call): void {
  const phase = scheduledTask(scope);
  if (phase === undefined) return;
  const { host } = execution;
  host.fault?.('before-invoke');
  const context = new CallContext();
  phase.call = context;
  host.invoke(call.functionName, call.payload, context).then(
    (answer) => settle(execution, scope, phase, answer),
    (error: unknown) => settle(execution, scope, phase, callFailure(error)),
  );
}

type Answer = { payload: unknown } | { error: FunctionError };

/** What comes back counts only while the task still waits for it. */
function settle(
  execution: Execution,
  scope: Scope,
  phase: ScheduledPhase,
  answer: Answer | CallFailure,
): void {
  execution.guarded(() => {
    execution.host.fault?.('after-answer');
    if (scheduledTask(scope) !== phase) return;
    if (answer instanceof CallFailure) taskFailed(execution, scope, answer.failure);
    else answered(execution, scope, phase, answer);
    execution.host.fault?.('answer-recorded');
  });
}

function answered(execution: Execution, scope: Scope, phase: ScheduledPhase, answer: Answer): void {
  if ('error' in answer) {
    const { errorType = 'Lambda.Unknown' } = answer.error;
    taskFailed(execution, scope, { error: errorType, cause: JSON.stringify(answer.error) });
    return;
  }
  const output = Payload.of({ ExecutedVersion: '$LATEST', Payload: answer.payload ?? null, StatusCode: 200 });
  if (output.isTooLarge) {
    const cause =
      "The state/task 'lambda' returned a result with a size exceeding the maximum number of bytes service limit.";
    taskFailed(execution, scope, { error: 'States.DataLimitExceeded', cause });
    return;
  }
  if (phase.token === undefined) {
    taskSucceeded(execution, scope, output);
    return;
  }
  execution.record(scope, 'TaskSubmitted', {
    ...aboutTask(scope),
    output: output.text,
    outputDetails: whole,
  });
}

/**
 * After a restart: a token that was handed out waits on; a call whose answer got lost has failed, as on AWS
 * when a connection breaks, and is retried as its Retry says.
 */
export function interruptedByRestart(execution: Execution, scope: Scope): void {
  const phase = scheduledTask(scope);
  if (phase === undefined) return;
  if (phase.submitted) {
    expectOutcome(execution, scope);
    return;
  }
  taskFailed(execution, scope, {
    error: 'Lambda.SdkClientException',
    cause: 'The engine stopped before the function answered.',
  });
}

export function taskSucceeded(execution: Execution, scope: Scope, output: Payload): void {
  // Due times lapse and the token is used up, but a function that still runs is left alone.
  lapse(scope);
  execution.record(
    scope,
    'TaskSucceeded',
    { ...aboutTask(scope), output: output.text, outputDetails: whole },
    scope.last,
    output,
  );
  execution.wake(scope);
}

export function taskFailed(execution: Execution, scope: Scope, failure: Failure): void {
  lapse(scope);
  execution.record(scope, 'TaskFailed', { ...aboutTask(scope), ...failure });
  execution.wake(scope);
}

/** A sign of life from whoever has the token: the heartbeat's due time moves on, durably. */
export function heartbeat(execution: Execution, scope: Scope, phase: ScheduledPhase): void {
  if (phase.heartbeatSeconds === undefined) return;
  execution.note(scope, {
    note: 'heartbeat',
    due: execution.host.clock.now() + phase.heartbeatSeconds * 1000,
  });
}

function timedOut(execution: Execution, scope: Scope, phase: ScheduledPhase, missedHeartbeat: boolean): void {
  if (scheduledTask(scope) !== phase) return;
  leaveBehind(scope);
  const failure = { error: 'States.Timeout', ...(missedHeartbeat ? { heartbeat: true } : {}) };
  execution.record(
    scope,
    'TaskTimedOut',
    { ...aboutTask(scope), error: failure.error },
    scope.last,
    undefined,
    { failure },
  );
  execution.wake(scope);
}

function aboutTask(scope: Scope): TaskAbout {
  const state = scope.frame?.state;
  return state?.type === 'Task' ? state.about : { resourceType: 'lambda', resource: 'invoke' };
}

/** A call that got no answer. */
class CallFailure {
  readonly failure: Failure;

  constructor(failure: Failure) {
    this.failure = failure;
  }
}

/** What AWS's SDK calls it. */
function callFailure(thrown: unknown): CallFailure {
  const error = isCaregateError(thrown, 'NOT_FOUND')
    ? 'Lambda.ResourceNotFoundException'
    : 'Lambda.SdkClientException';
  return new CallFailure({ error, cause: thrown instanceof Error ? thrown.message : String(thrown) });
}
