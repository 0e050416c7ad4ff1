import { createNotify } from '../../lib/approval/notice.ts';
import { reportFailure, statusChangeSchema } from '../../lib/audit/statuschange.ts';
import { step } from '../step.ts';

/** The event rule for runs that failed, timed out or were aborted: a person is told. */
export const handler = step(statusChangeSchema, (parts, event) =>
  reportFailure({ ...parts, notify: createNotify(parts) }, event),
);
