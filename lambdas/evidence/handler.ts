import { gather, gatheringInputSchema } from '../../lib/evidence/gathering.ts';
import { step } from '../step.ts';

/** Writes the documents and facts of a case. */
export const handler = step(gatheringInputSchema, gather);
