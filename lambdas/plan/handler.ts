import { planningInputSchema, propose } from '../../lib/proposal/planning.ts';
import { store } from '../parts/casefile.ts';
import { circle } from '../parts/circles.ts';
import { bedrock, planModel } from '../parts/models.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Takes one proposal from the model. */
export const handler = step(planningInputSchema, { store, circle, clock, bedrock, planModel }, propose);
