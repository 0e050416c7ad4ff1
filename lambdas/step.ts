import type * as z from 'zod';
import { CaregateError } from '../lib/errors.ts';
import { systemClock } from '../lib/provenance/clock.ts';
import { type EventContext, eventLog } from './log.ts';
import { kindOf, maskText } from './masking.ts';
import { gatherParts, type Needs, type PartsOf } from './parts/part.ts';

/**
 * Makes a Lambda handler of a step: the input is checked, the parts that it needs are handed over (one of them may be
 * the circle that the input names), and what goes wrong leaves as an error with a code. An error that is not ours may quote a mail, so only its kind is passed on: whatever a
 * function throws stands in the execution history.
 */
export function step<Schema extends z.ZodType, N extends Needs, Result>(
  schema: Schema,
  needs: N,
  run: (parts: PartsOf<N>, input: z.infer<Schema>) => Promise<Result>,
): (event: unknown, context?: EventContext) => Promise<Result> {
  return async (event, context) => {
    const log = eventLog(event, context);
    const start = systemClock.now();
    try {
      const input = schema.safeParse(event);
      if (!input.success) throw badInput(input.error);
      const result = await run(await gatherParts(needs, input.data), input.data);
      log.ended(result, systemClock.now() - start);
      return result;
    } catch (error) {
      log.failed(error, systemClock.now() - start);
      throw presentable(error);
    }
  };
}

function badInput(error: z.ZodError): CaregateError {
  const field = error.issues[0]?.path.join('.') || 'event';
  return new CaregateError('INVALID_INPUT', `field \`${field}\` of the event is not as the step takes it`);
}

/**
 * The error as the service may record it: a code and our own text, without a stack and without a cause. The runtime logs
 * what a function throws, so the text is masked as it is in our own log.
 */
export function presentable(error: unknown): CaregateError {
  const shown =
    error instanceof CaregateError
      ? new CaregateError(error.code, maskText(error.message))
      : new CaregateError('UNEXPECTED', `the step met an unexpected \`${kindOf(error)}\`; look at its log`);
  shown.stack = `${shown.name}: ${shown.message}`;
  return shown;
}
