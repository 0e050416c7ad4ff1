import { closeCase, closingInputSchema } from '../../lib/casefile/closing.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { circle } from '../parts/circles.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Closes a run of a case. */
export const handler = step(closingInputSchema, { store, index, circle, clock }, closeCase);
