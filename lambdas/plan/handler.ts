import { planningInputSchema, propose } from '../../lib/proposal/planning.ts';
import { step } from '../step.ts';

/** Takes one proposal from the model. */
export const handler = step(planningInputSchema, propose);
