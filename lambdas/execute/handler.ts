import { actionStepSchema } from '../../lib/casefile/step.ts';
import { executeAction } from '../../lib/effect/execution.ts';
import { currentAuthority } from '../authority.ts';
import { step } from '../step.ts';

/** Rebuilds the call, gates it again, and acts at most once. */
export const handler = step(actionStepSchema, async (parts, input) =>
  executeAction({ ...parts, ...(await currentAuthority(parts)) }, input),
);
