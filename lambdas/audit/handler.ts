import { keepHistory, statusChangeSchema } from '../../lib/audit/statuschange.ts';
import { store } from '../parts/casefile.ts';
import { sfn } from '../parts/executions.ts';
import { step } from '../step.ts';

/** The event rule for runs that ended: keeps the stripped history in the case file. Only it may read histories. */
export const handler = step(statusChangeSchema, { sfn, store }, keepHistory);
