import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestApproval } from '../../lib/approval/request.ts';
import type { Session } from '../../lib/cli/session.ts';
import { settle } from '../../lib/cli/settling.ts';
import { caseId, letterCall, requestFor } from '../approval/requests.ts';
import { newCase } from '../casefile/casebench.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';

let office: Approvals;
let session: Session;
beforeAll(async () => {
  office = await startApprovals();
  const { store, index, register, circle } = office;
  const connection = { store, index, register, circle: circle.id } as unknown as Session['office'];
  const outbox = join(tmpdir(), 'caregate-no-such-outbox');
  session = { office: connection, outbox, started: false };
});
afterAll(async () => office[Symbol.asyncDispose]());
const note = (
  key: ReturnType<typeof newCase>,
  status: 'open' | 'closed' | 'parked',
  run = key.case as string,
) => office.index.note(key, { status, reason: 'CODE', openedAt: '2027-03-01T09:00:00.000Z', execution: run });
/** Whether something has come to rest by now, after a few looks. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pause = new Promise((resolve) => setTimeout(() => resolve('pending'), 450));
  return (await Promise.race([promise, pause])) === 'pending';
}

describe('settling', () => {
  it('waits for nothing where there is no case', async () => {
    expect(await settle(session, [])).toEqual([]);
  });

  it('reports cases in the order that was asked for, one that was named twice twice', async () => {
    const [first, second] = [newCase(), newCase()];
    await note(first, 'closed');
    await note(second, 'parked');
    const reports = await settle(session, [second.case, first.case, second.case]);
    expect(reports.map((report) => [report.case, report.status])).toEqual([
      [second.case, 'parked'],
      [first.case, 'closed'],
      [second.case, 'parked'],
    ]);
  });

  it('waits while a case runs, or is not known yet', async () => {
    const key = newCase();
    const settled = settle(session, [key.case]);
    expect(await isPending(settled)).toBe(true);
    await note(key, 'open');
    expect(await isPending(settled)).toBe(true);
    await note(key, 'closed');
    expect(await settled).toMatchObject([{ case: key.case, status: 'closed' }]);
  });

  it('waits for the run that has to have begun', async () => {
    const key = newCase();
    await note(key, 'parked');
    const settled = settle(session, [key.case], `${key.case}-r1`);
    expect(await isPending(settled)).toBe(true);
    await note(key, 'closed', `${key.case}-r1`);
    expect(await settled).toMatchObject([{ status: 'closed' }]);
  });

  it('ends where a case waits for a person who was mailed', async () => {
    const key = { ...newCase(), case: caseId };
    await note(key, 'open');
    await requestApproval(office, requestFor(office, letterCall()));
    expect(await settle(session, [caseId])).toMatchObject([{ status: 'awaiting_approval' }]);
  });
});
