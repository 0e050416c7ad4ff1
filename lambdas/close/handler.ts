import { closeCase, closingInputSchema } from '../../lib/casefile/closing.ts';
import { step } from '../step.ts';

/** Closes a run of a case. */
export const handler = step(closingInputSchema, closeCase);
