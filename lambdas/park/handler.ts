import { park, parkingInputSchema } from '../../lib/casefile/parking.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Parks a case that could not go on. */
export const handler = step(parkingInputSchema, { store, index, clock }, park);
