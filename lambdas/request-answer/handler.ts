import { askForAnswer, askingInputSchema } from '../../lib/approval/asking.ts';
import { approvalParts } from '../approvals.ts';
import { circle } from '../parts/circles.ts';
import { step } from '../step.ts';

/** Asks people one question of the closed list. The execution waits for the task's token. */
export const handler = step(askingInputSchema, { ...approvalParts, circle }, askForAnswer);
