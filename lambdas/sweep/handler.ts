import * as z from 'zod';
import { approvalParts } from '../approvals.ts';
import { index } from '../parts/caseindex.ts';
import { circles } from '../parts/circles.ts';
import { machine, sfn } from '../parts/executions.ts';
import { inbox } from '../parts/inbox.ts';
import { step } from '../step.ts';
import { sweep } from '../sweep.ts';

/** Runs on a schedule: takes over what a lost event left behind, and looks after what waits. */
export const handler = step(z.unknown(), { ...approvalParts, index, inbox, circles, sfn, machine }, sweep);
