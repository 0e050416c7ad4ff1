import { gateProposal, gatingInputSchema } from '../../lib/approval/gating.ts';
import { store } from '../parts/casefile.ts';
import { circle } from '../parts/circles.ts';
import { policy } from '../parts/policy.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Resolves one proposal and decides on the call. */
export const handler = step(gatingInputSchema, { store, circle, clock, policy }, gateProposal);
