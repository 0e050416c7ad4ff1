import { Logger } from '@aws-lambda-powertools/logger';
import type * as z from 'zod';
import { CaregateError } from '../lib/errors.ts';
import { gatherParts, type Needs, type PartsOf } from './parts/part.ts';

const logger = new Logger({ serviceName: 'caregate' });

/**
 * Makes a Lambda handler of a step: the input is checked, the parts that it needs are handed over (one of them may be
 * the circle that the input names), and what goes wrong leaves as an error with a code. An error that is not ours may quote a mail, so only its kind is passed on: whatever a
 * function throws stands in the execution history.
 */
export function step<Schema extends z.ZodType, N extends Needs, Result>(
  schema: Schema,
  needs: N,
  run: (parts: PartsOf<N>, input: z.infer<Schema>) => Promise<Result>,
): (event: unknown) => Promise<Result> {
  return async (event) => {
    try {
      const input = schema.safeParse(event);
      if (!input.success) throw badInput(input.error);
      return await run(await gatherParts(needs, input.data), input.data);
    } catch (error) {
      throw presentable(error);
    }
  };
}

function badInput(error: z.ZodError): CaregateError {
  const field = error.issues[0]?.path.join('.') || 'event';
  return new CaregateError('INVALID_INPUT', `field \`${field}\` of the event is not as the step takes it`);
}

/** The error as the service may record it: a code and our own text, without a stack and without a cause. */
export function presentable(error: unknown): CaregateError {
  const known = error instanceof CaregateError;
  const kind = error instanceof Error ? error.name : typeof error;
  logger.error('a step failed', known ? { code: error.code, text: error.message } : { kind });
  const shown = known
    ? new CaregateError(error.code, error.message)
    : new CaregateError('UNEXPECTED', `the step met an unexpected \`${kind.slice(0, 60)}\`; look at its log`);
  shown.stack = `${shown.name}: ${shown.message}`;
  return shown;
}
