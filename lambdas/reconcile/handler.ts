import { actionStepSchema } from '../../lib/casefile/step.ts';
import { reconcileAction } from '../../lib/effect/execution.ts';
import { authorityParts } from '../authority.ts';
import { step } from '../step.ts';

/** Asks the world what became of an effect. */
export const handler = step(actionStepSchema, authorityParts, reconcileAction);
