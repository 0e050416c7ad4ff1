import type { Execution } from '../execution.ts';
import { dataLimitExceeded, QueryError } from '../failure.ts';
import { type Fields, fieldsAt, optionalNumber, requiredText } from '../fields.ts';
import type { Details } from '../history.ts';
import { limits } from '../limits.ts';
import type { Loading } from '../machine.ts';
import { Payload } from '../payload.ts';
import { bindingsOf, leaveSucceeded } from '../progress.ts';
import type { Extra } from '../record.ts';
import { definitionRefused } from '../refusal.ts';
import type { Frame, Phase, Scope } from '../scope.ts';
import {
  type BaseState,
  type Behaviour,
  baseState,
  commonFields,
  departureFields,
  errorFields,
  optionalTemplate,
} from '../state.ts';
import { parked, type Steps } from '../steps.ts';
import {
  type Call,
  callFunction,
  expectOutcome,
  interruptedByRestart,
  type TaskAbout,
} from '../task-call.ts';
import { newTaskToken } from '../task-token.ts';
import { evaluate, expectType, isConstant, type Template } from '../template.ts';

export interface TaskState extends BaseState {
  readonly type: 'Task';
  /** As events name the resource: `invoke` or `invoke.waitForTaskToken`. */
  readonly about: TaskAbout;
  /** The call where it is the same every time. */
  readonly constantCall: Planned | undefined;
  readonly waitsForToken: boolean;
  readonly arguments: Template;
  readonly timeoutSeconds: Template | undefined;
  readonly heartbeatSeconds: Template | undefined;
}

/** The resources that a Task can name. */
export const taskResources = [
  'arn:aws:states:::lambda:invoke',
  'arn:aws:states:::lambda:invoke.waitForTaskToken',
] as const;

/** The members of `Arguments`. */
export const invokeArguments = ['FunctionName', 'Payload'] as const;

/** Calls a function; with `.waitForTaskToken` it goes on only when the token comes back. */
export const task: Behaviour<TaskState> = {
  fields: [
    ...commonFields,
    ...departureFields,
    ...errorFields,
    'Resource',
    'Arguments',
    'TimeoutSeconds',
    'HeartbeatSeconds',
  ],
  load(name, fields, loading) {
    const resource = requiredText(fields, 'Resource');
    if (!(taskResources as readonly string[]).includes(resource)) {
      throw definitionRefused(`The resource '${resource}' is not supported`, `${fields.path}/Resource`);
    }
    const waitsForToken = resource.endsWith('.waitForTaskToken');
    const heartbeatSeconds = optionalSeconds(fields, 'HeartbeatSeconds', loading);
    if (heartbeatSeconds !== undefined && !waitsForToken) {
      throw definitionRefused('Heartbeats need .waitForTaskToken', `${fields.path}/HeartbeatSeconds`);
    }
    const compiled = loadArguments(fields, loading);
    const timeoutSeconds = optionalSeconds(fields, 'TimeoutSeconds', loading);
    return {
      type: 'Task',
      ...baseState(name, fields, loading),
      about: { resourceType: 'lambda', resource: resource.slice(resource.lastIndexOf(':') + 1) },
      constantCall: constantCall(compiled, timeoutSeconds, heartbeatSeconds),
      waitsForToken,
      arguments: compiled,
      timeoutSeconds,
      heartbeatSeconds,
    };
  },
  *run(execution, scope, frame) {
    if (phaseOf(frame).kind === 'entered') {
      const token = frame.state.waitsForToken ? newTaskToken(execution.host.randomness) : undefined;
      const planned = frame.state.constantCall ?? (yield* plan(execution, scope, frame, token));
      schedule(execution, scope, frame.state, planned, token);
      if (!execution.host.journal.immediate) yield* execution.durable();
      callFunction(execution, scope, planned.call);
    } else if (phaseOf(frame).kind === 'scheduled') {
      interruptedByRestart(execution, scope);
    }
    while (phaseOf(frame).kind === 'scheduled') yield parked;
    const steps = leaveSucceeded(execution, scope, frame);
    if (steps !== undefined) yield* steps;
  },
};

/** A call whose arguments and times are known. Times are in seconds. */
interface Planned {
  readonly call: Call;
  readonly parameters: Payload;
  readonly timeout: number | undefined;
  readonly heartbeat: number | undefined;
  details?: ScheduledDetails;
}

type ScheduledDetails = TaskAbout & Details & { readonly region: string };

/** The phase afresh: events replace it while the steps pause. */
function phaseOf(frame: Frame<TaskState>): Phase {
  return frame.phase;
}

function loadArguments(fields: Fields, loading: Loading): Template {
  const { Arguments: given } = fields.values;
  const compiled = optionalTemplate(fields, 'Arguments', loading);
  if (compiled === undefined) throw definitionRefused("The field 'Arguments' is required", fields.path);
  if (compiled.kind === 'expression') return compiled;
  const members = fieldsAt(given, `${fields.path}/Arguments`, invokeArguments);
  requiredText(members, 'FunctionName');
  return compiled;
}

function optionalSeconds(fields: Fields, name: string, loading: Loading): Template | undefined {
  const compiled = optionalTemplate(fields, name, loading);
  if (compiled?.kind === 'expression') return compiled;
  optionalNumber(fields, name, { minimum: 1, maximum: limits.seconds });
  return compiled;
}

function* plan(
  execution: Execution,
  scope: Scope,
  frame: Frame<TaskState>,
  token: string | undefined,
): Steps<Planned> {
  const { state } = frame;
  const bindings = bindingsOf(execution, scope, frame, { token });
  const values = yield* evaluate(state.arguments, bindings);
  const timeout = yield* seconds(state.timeoutSeconds, bindings);
  const heartbeat = yield* seconds(state.heartbeatSeconds, bindings);
  return { call: readCall(values), parameters: Payload.of(values), timeout, heartbeat };
}

/** Arguments and times without an expression are read once, at load. */
function constantCall(
  given: Template,
  timeout: Template | undefined,
  heartbeat: Template | undefined,
): Planned | undefined {
  const fixed = (of: Template | undefined) =>
    of?.kind === 'constant' ? (of.payload.value as number) : undefined;
  const times = [timeout, heartbeat];
  if (given.kind !== 'constant' || times.some((of) => of !== undefined && !isConstant(of))) return undefined;
  return {
    call: readCall(given.payload.value),
    parameters: given.payload,
    timeout: fixed(timeout),
    heartbeat: fixed(heartbeat),
  };
}

/** Records the call, with its due times. */
function schedule(
  execution: Execution,
  scope: Scope,
  { about, name }: TaskState,
  planned: Planned,
  token: string | undefined,
): void {
  if (planned.parameters.isTooLarge) throw dataLimitExceeded(name);
  const { region } = execution.host;
  // A call that is the same every time has the same details every time.
  if (planned.details?.region !== region) planned.details = scheduledDetails(about, region, planned);
  const extra = scheduledExtra(execution, planned, token);
  execution.record(scope, 'TaskScheduled', planned.details, scope.last, undefined, extra);
  execution.record(scope, 'TaskStarted', about);
  if (extra !== undefined) expectOutcome(execution, scope);
}

function scheduledDetails(about: TaskAbout, region: string, planned: Planned): ScheduledDetails {
  const { parameters, timeout, heartbeat } = planned;
  return {
    ...about,
    region,
    parameters: parameters.text,
    ...(timeout === undefined ? {} : { timeoutInSeconds: timeout }),
    ...(heartbeat === undefined ? {} : { heartbeatInSeconds: heartbeat }),
  };
}

function scheduledExtra(
  execution: Execution,
  planned: Planned,
  token: string | undefined,
): Extra | undefined {
  const { timeout, heartbeat } = planned;
  if (token === undefined && timeout === undefined) return undefined;
  const due = (after: number | undefined) =>
    after === undefined ? undefined : execution.host.clock.now() + after * 1000;
  return { token, deadline: due(timeout), heartbeatSeconds: heartbeat, heartbeatDue: due(heartbeat) };
}

function* seconds(
  of: Template | undefined,
  bindings: Parameters<typeof evaluate>[1],
): Steps<number | undefined> {
  if (of === undefined) return undefined;
  const fits = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) > 0 && (value as number) <= limits.seconds;
  return expectType(of, yield* evaluate(of, bindings), 'integer', fits);
}

/** Arguments that are one expression are checked only when their value is known. */
function readCall(values: unknown): Call {
  const { FunctionName: name, Payload: payload, ...others } = (values ?? {}) as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (typeof name !== 'string' || unknown !== undefined) {
    throw new QueryError(
      unknown === undefined
        ? "The field 'FunctionName' of 'Arguments' must be a string."
        : `The field '${unknown}' is not supported by the resource.`,
      unknown === undefined ? 'Arguments/FunctionName' : `Arguments/${unknown}`,
    );
  }
  return { functionName: bareName(name), payload: payload ?? {} };
}

/** The function's own name out of a name or ARN, with or without a version. */
function bareName(name: string): string {
  const arn = /^(?:arn:[^:]+:lambda:[^:]*:)?\d{12}:function:([^:]+)(?::.+)?$/.exec(name);
  return arn?.[1] ?? /^([\w-]+):[\w$-]+$/.exec(name)?.[1] ?? name;
}
