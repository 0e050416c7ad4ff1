import * as z from 'zod';
import { sweepApprovals } from '../../lib/approval/sweep.ts';
import { workOnEach } from '../../lib/casefile/rounds.ts';
import { sweepDeferred, sweepInbox } from '../../lib/mail/sweep.ts';
import { approvalParts } from '../approvals.ts';
import { step } from '../step.ts';

/** Runs on a schedule: takes over what a lost event left behind, and looks after what waits. */
export const handler = step(z.unknown(), async (parts) => {
  const approvals = approvalParts(parts);
  const openRequests = async () => (await approvals.register.listOpen(parts.circle.id)).length;
  const rounds: readonly (() => Promise<object>)[] = [
    async () => ({ started: await sweepInbox(parts) }),
    () => sweepApprovals(approvals),
    async () => ({ deferred: await sweepDeferred({ ...parts, openRequests }) }),
  ];
  return Object.assign({}, ...(await workOnEach(rounds, (round) => round())));
});
