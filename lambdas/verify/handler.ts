import { actionStepSchema } from '../../lib/casefile/step.ts';
import { verifyAction } from '../../lib/effect/checking.ts';
import { checkingParts } from '../checking.ts';
import { step } from '../step.ts';

/** Reads an effect afresh, digests it, and writes its receipt. */
export const handler = step(actionStepSchema, checkingParts, verifyAction);
