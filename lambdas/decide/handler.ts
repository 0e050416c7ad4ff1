import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { createDecisions } from '../../lib/web/app.ts';
import { pageParts } from '../pages.ts';
import { currentParts } from '../parts.ts';

/** The pages that decide. They answer POST alone. */
export const handler = (event: unknown) =>
  handle(createDecisions(pageParts(currentParts())))(event as LambdaEvent);
