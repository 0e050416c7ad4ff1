import { afterAll, beforeAll, expect, it } from 'vitest';
import { decide } from '../../lib/approval/decide.ts';
import { requestApproval } from '../../lib/approval/request.ts';
import { sweepApprovals } from '../../lib/approval/sweep.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
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
