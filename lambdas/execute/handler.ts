import { actionStepSchema } from '../../lib/casefile/step.ts';
import { executeAction } from '../../lib/effect/execution.ts';
import { authorityParts } from '../authority.ts';
import { step } from '../step.ts';

/** Rebuilds the call, gates it again, and acts at most once. */
export const handler = step(actionStepSchema, authorityParts, executeAction);
