import { gather, gatheringInputSchema } from '../../lib/evidence/gathering.ts';
import { store } from '../parts/casefile.ts';
import { circle } from '../parts/circles.ts';
import { bedrock, evidenceModel } from '../parts/models.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Writes the documents and facts of a case. */
export const handler = step(gatheringInputSchema, { store, circle, clock, bedrock, evidenceModel }, gather);
