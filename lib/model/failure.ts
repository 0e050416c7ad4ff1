import { CaregateError, type ErrorCode } from '../errors.ts';
import { noUsage, type Usage } from './usage.ts';

/** What a model can do wrong, or the way to it. The first four are answered by one more attempt. */
export const modelFailureCodes = [
  'MODEL_NO_TOOL_USE',
  'MODEL_SEVERAL_TOOL_USES',
  'MODEL_UNKNOWN_TOOL',
  'MODEL_INVALID_ARGUMENTS',
  'MODEL_UNAVAILABLE',
  'MODEL_CALLS_SPENT',
] as const satisfies readonly ErrorCode[];
export type ModelFailureCode = (typeof modelFailureCodes)[number];

/** A model's failure with what it has cost, so that a budget counts the failed attempts too. */
export class ModelFailure extends CaregateError {
  declare readonly code: ModelFailureCode;
  readonly usage: Usage;
  /** How many times the model was asked, this failure included. */
  readonly attempts: number;

  /** @param message as of every Caregate error; never anything that the model wrote */
  constructor(
    code: ModelFailureCode,
    message: string,
    options: { usage?: Usage; attempts?: number; cause?: unknown } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.usage = options.usage ?? noUsage;
    this.attempts = options.attempts ?? 1;
  }
}

/** Whether another attempt can help: the model answered, but not with one valid tool use. */
export function isAnswerFailure(code: ErrorCode): boolean {
  return (
    code === 'MODEL_NO_TOOL_USE' ||
    code === 'MODEL_SEVERAL_TOOL_USES' ||
    code === 'MODEL_UNKNOWN_TOOL' ||
    code === 'MODEL_INVALID_ARGUMENTS'
  );
}

// Throttled, away for a while, or too slow. What is wrong with a request, or refused to us, another model would hide.
const passing: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ServiceQuotaExceededException',
  'ServiceUnavailableException',
  'ModelNotReadyException',
  'ModelTimeoutException',
  'InternalServerException',
  'TimeoutError',
]);

/** Whether the model gave no answer for a reason that is nobody's fault here, so that another may be asked. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof ModelFailure) || error.code !== 'MODEL_UNAVAILABLE') return false;
  return error.cause instanceof Error && passing.has(error.cause.name);
}
