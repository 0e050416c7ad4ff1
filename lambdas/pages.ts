import type { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { pageFailed } from './log.ts';
import { gatherParts, type Needs, type PartsOf } from './parts/part.ts';

/** Makes a Lambda handler of pages behind an HTTP API. */
export function pages<N extends Needs>(
  needs: N,
  create: (parts: PartsOf<N> & { readonly log: (kind: string) => void }) => Hono,
) {
  return async (event: unknown) =>
    handle(create({ ...(await gatherParts(needs, event)), log: pageFailed }))(event as LambdaEvent);
}
