import { outcomeInputSchema, recordOutcome } from '../../lib/casefile/outcome.ts';
import { store } from '../parts/casefile.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Writes how an action ended. */
export const handler = step(outcomeInputSchema, { store, clock }, recordOutcome);
