import { park, parkingInputSchema } from '../../lib/casefile/parking.ts';
import { step } from '../step.ts';

/** Parks a case that could not go on. */
export const handler = step(parkingInputSchema, park);
