import type { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import * as z from 'zod';
import { CaregateError } from '../lib/errors.ts';
import { type EventContext, eventLog, pageFailed } from './log.ts';
import { gatherParts, type Needs, type PartsOf } from './parts/part.ts';
import { presentable } from './step.ts';

/** A request as an HTTP API hands it over (payload format 2.0), as far as it must be right before anything is built of it. */
const requestSchema = z.looseObject({
  version: z.literal('2.0'),
  rawPath: z.string(),
  rawQueryString: z.string(),
  headers: z.record(z.string(), z.string().optional()),
  requestContext: z.looseObject({ http: z.looseObject({ method: z.string() }) }),
  body: z.string().optional(),
  isBase64Encoded: z.boolean(),
});

/**
 * Makes a Lambda handler of pages behind an HTTP API. What a page cannot answer leaves as an error with a code, as it does
 * from a step: a request holds a link, a code and what a person wrote.
 */
export function pages<N extends Needs>(
  needs: N,
  create: (parts: PartsOf<N> & { readonly log: (kind: string) => void }) => Hono,
) {
  return async (event: unknown, context?: EventContext) => {
    try {
      const app = create({ ...(await gatherParts(needs, event)), log: pageFailed });
      // Whoever builds the request prints what it cannot read, and a request may hold anything.
      if (!requestSchema.safeParse(event).success) throw notARequest();
      return await handle(app)(event as LambdaEvent);
    } catch (error) {
      eventLog({}, context).failed(error, 0);
      throw presentable(error);
    }
  };
}

function notARequest(): CaregateError {
  return new CaregateError(
    'INVALID_INPUT',
    'the `event` is not a request of an HTTP API; call it by its address',
  );
}
