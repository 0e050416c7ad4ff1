import { gateProposal, gatingInputSchema } from '../../lib/approval/gating.ts';
import { currentPolicy } from '../authority.ts';
import { step } from '../step.ts';

/** Resolves one proposal and decides on the call. */
export const handler = step(gatingInputSchema, (parts, input) =>
  gateProposal({ ...parts, policy: currentPolicy(parts) }, input),
);
