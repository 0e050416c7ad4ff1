import { reportFailure, statusChangeSchema } from '../../lib/audit/statuschange.ts';
import { approvalParts } from '../approvals.ts';
import { step } from '../step.ts';

/** The event rule for runs that failed, timed out or were aborted: a person is told, through `notify`. */
export const handler = step(statusChangeSchema, (parts, event) =>
  reportFailure({ ...parts, notify: approvalParts(parts).notify }, event),
);
