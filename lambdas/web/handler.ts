import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { createPages } from '../../lib/web/app.ts';
import { pageParts } from '../pages.ts';
import { currentParts } from '../parts.ts';

/** The pages that show. GET changes nothing. */
export const handler = (event: unknown) =>
  handle(createPages(pageParts(currentParts())))(event as LambdaEvent);
