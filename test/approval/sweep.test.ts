import { afterAll, beforeAll, expect, it } from 'vitest';
import { decide } from '../../lib/approval/decide.ts';
import { requestApproval } from '../../lib/approval/request.ts';
import { countStuck } from '../../lib/approval/stuck.ts';
import { sweepApprovals } from '../../lib/approval/sweep.ts';
import type { CaseStatus } from '../../lib/casefile/caseindex.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { isoTime } from '../../lib/provenance/clock.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { type CaseId, type CircleId, caseIdOf } from '../../lib/provenance/identifiers.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { exampleCircle } from '../support/cases.ts';
import { caseId, hour, letterCall, requestFor } from './requests.ts';

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
const key = { circle: 'example-household', case: caseId } as Parameters<typeof layout.approval>[0];

it('the sweep tells of decisions, reminds once past half of the time, and marks what is over', async () => {
  await requestApproval(office, requestFor(office, letterCall(1)));
  const [mail] = await office.mails();
  await requestApproval(office, requestFor(office, letterCall(2)));
  expect(await sweepApprovals(office)).toEqual({ finished: 0, reminded: 0, expired: 0 });

  office.tasks.lose = 'before';
  await decide(office, { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'approve' });
  expect(office.tasks.outputs).toEqual([]);
  expect(await sweepApprovals(office)).toEqual({ finished: 1, reminded: 0, expired: 0 });
  expect(office.tasks.outputs).toMatchObject([{ decision: 'approved' }]);

  office.clock.advance(37 * hour);
  expect(await sweepApprovals(office)).toEqual({ finished: 0, reminded: 1, expired: 0 });
  expect(await sweepApprovals(office)).toEqual({ finished: 0, reminded: 0, expired: 0 });
  office.clock.advance(36 * hour);
  expect(await sweepApprovals(office)).toEqual({ finished: 0, reminded: 0, expired: 1 });
  expect(await sweepApprovals(office)).toEqual({ finished: 0, reminded: 0, expired: 0 });
});

it('a decision that cannot be carried out does not keep other requests from their turn', async () => {
  await requestApproval(office, requestFor(office, letterCall(3)));
  const mail = (await office.mails()).at(-2);
  await requestApproval(office, requestFor(office, letterCall(4)));
  for (const person of ['maya', 'tom']) await office.store.create(layout.consent(key, 3, person), '{}');
  const choice = { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'approve' as const };
  await decide(office, choice).catch(() => undefined);
  const before = (await office.mails()).length;
  office.clock.advance(37 * hour);
  await expect(sweepApprovals(office)).toFailWithCode('CREATE_CONFLICT');
  expect((await office.mails()).length).toBe(before + 2);
});

it('a case that is open for over an hour and waits for nobody is counted as stuck', async () => {
  const circle = exampleCircle.id;
  const line = async (mail: string, status: CaseStatus): Promise<CaseId> => {
    const id = caseIdOf(circle, digestOf(mail), true);
    await office.index.note(
      { circle, case: id },
      { status, reason: 'ACCEPTED', openedAt: isoTime(office.clock), execution: id },
    );
    return id;
  };
  const open = await line('one that hangs', 'open');
  for (const status of ['parked', 'closed', 'quarantined', 'deferred'] as const) await line(status, status);
  await office.index.note(key, { status: 'open', openedAt: isoTime(office.clock), execution: caseId });
  await requestApproval(office, requestFor(office, letterCall(5)));
  expect(await countStuck(office)).toBe(0);
  office.clock.advance(hour - 1);
  expect(await countStuck(office)).toBe(0);
  office.clock.advance(2);
  expect(await countStuck(office)).toBe(1); // the other one waits for a person
  expect(await countStuck({ ...office, circle: { ...exampleCircle, id: 'other' as CircleId } })).toBe(0);
  office.clock.advance(80 * hour); // nobody decided in time: it waits for nobody any more
  await sweepApprovals(office).catch(() => undefined);
  expect(await countStuck(office)).toBe(2);
  await office.index.note({ circle, case: open }, { status: 'closed' });
  expect(await countStuck(office)).toBe(1);
});
