import { actionStepSchema } from '../../lib/casefile/step.ts';
import { reconcileAction } from '../../lib/effect/execution.ts';
import { currentAuthority } from '../authority.ts';
import { step } from '../step.ts';

/** Asks the world what became of an effect. */
export const handler = step(actionStepSchema, async (parts, input) =>
  reconcileAction({ ...parts, ...(await currentAuthority(parts)) }, input),
);
