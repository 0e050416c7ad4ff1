import { Logger } from '@aws-lambda-powertools/logger';
import { CaregateError } from '../lib/errors.ts';
import { caseIdPattern } from '../lib/provenance/identifiers.ts';
import { type Signal, signals } from '../lib/signals.ts';
import { kindOf, maskKind, maskText } from './masking.ts';

const logger = new Logger({ serviceName: 'caregate' });

/** What of Lambda's context is logged. */
export interface EventContext {
  readonly functionName?: string;
  readonly awsRequestId?: string;
}

/** The log of one event. No line of it holds anything of a mail, a person or a token: ids of known forms, codes, our words. */
export interface EventLog {
  /** The step ended with a result, whose codes may be worth counting. */
  ended(result: unknown, milliseconds: number): void;
  failed(error: unknown, milliseconds: number): void;
}

const resumed = /-r\d{1,4}$/;

/** The log of one event, each line with the keys that a case's lines are found by. */
export function eventLog(event: unknown, context: EventContext = {}): EventLog {
  const keys = { step: stepOf(context), request: context.awsRequestId, ...correlation(event) };
  const own = logger.createChild({ persistentKeys: keys });
  return {
    ended: (result, milliseconds) => {
      const [signal, ...others] = signalsOf(keys.step, result);
      own.info('a step ended', { milliseconds, ...(signal === undefined ? {} : { signal }) });
      for (const other of others) own.info('and signals', { signal: other });
    },
    failed: (error, milliseconds) => {
      own.error('a step failed', { milliseconds, ...described(error) });
    },
  };
}

/** The step's name: the function's, without the name of its deployment. */
function stepOf({ functionName = process.env.AWS_LAMBDA_FUNCTION_NAME ?? '' }: EventContext): string {
  const prefix = `${process.env.CAREGATE_DEPLOYMENT ?? ''}-`;
  return functionName.startsWith(prefix) ? functionName.slice(prefix.length) : functionName;
}

/** Case, execution and action of an event, each only where it has the form that ours have. */
function correlation(event: unknown): { case?: string; execution?: string; action?: number } {
  const found = field(event, 'detail') ?? event;
  const run = field(found, 'execution') ?? field(found, 'name');
  const named = field(found, 'case') ?? (typeof run === 'string' ? run.replace(resumed, '') : undefined);
  const action = field(found, 'action');
  return {
    ...(typeof named === 'string' && caseIdPattern.test(named) ? { case: named } : {}),
    ...(typeof run === 'string' && caseIdPattern.test(run.replace(resumed, '')) ? { execution: run } : {}),
    ...(Number.isSafeInteger(action) ? { action: action as number } : {}),
  };
}

/** What a step that went well signals: a case that was set aside is no error, and still somebody's business. */
function signalsOf(step: string, result: unknown): Signal[] {
  const counted = (name: string): boolean => Number(field(result, name) ?? 0) > 0;
  return [
    ...(step === 'park' ? [signals.caseParked] : []),
    ...(counted('stuck') ? [signals.caseStuck] : []),
    ...(counted('unassigned') ? [signals.mailUnassigned] : []),
    ...(field(result, 'standing') === 'deferred' ? [signals.caseDeferred] : []),
  ];
}

function described(error: unknown): Record<string, string> {
  const signal = failureSignal(error);
  return error instanceof CaregateError
    ? { code: error.code, text: maskText(error.message), signal }
    : { kind: kindOf(error), signal };
}

function failureSignal(error: unknown): Signal {
  if (!(error instanceof CaregateError)) return signals.stepFailed;
  if (error.code === 'MODEL_CALLS_SPENT') return signals.budgetRefused;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (/^(?:Throttling|ThrottlingException|TooManyRequestsException)$/.test(cause.name)) {
      return signals.modelThrottled;
    }
  }
  return signals.stepFailed;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Says that a page failed, by its code alone. */
export function pageFailed(kind: string): void {
  logger.error('a page failed', { kind: maskKind(kind), signal: signals.stepFailed });
}
