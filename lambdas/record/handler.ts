import { outcomeInputSchema, recordOutcome } from '../../lib/casefile/outcome.ts';
import { step } from '../step.ts';

/** Writes how an action ended. */
export const handler = step(outcomeInputSchema, recordOutcome);
