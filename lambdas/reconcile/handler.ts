import { actionStepSchema } from '../../lib/casefile/step.ts';
import { reconcileAction } from '../../lib/effect/reconciling.ts';
import { checkingParts } from '../checking.ts';
import { step } from '../step.ts';

/** Asks the world what became of an effect. */
export const handler = step(actionStepSchema, checkingParts, reconcileAction);
