import * as z from 'zod';
import { summarizeQuarantines } from '../../lib/approval/quarantine.ts';
import { approvalParts } from '../approvals.ts';
import { index } from '../parts/caseindex.ts';
import { circles } from '../parts/circles.ts';
import { step } from '../step.ts';

/** Runs on a schedule: once a day the owners of each circle are told what was held back, and can release it. */
export const handler = step(z.unknown(), { ...approvalParts, index, circles }, summarizeQuarantines);
