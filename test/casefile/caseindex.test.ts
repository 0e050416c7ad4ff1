import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { newCase } from './casebench.ts';

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());

describe('the index of cases', () => {
  it('knows nothing of a case that nobody noted', async () => {
    expect(await office.index.find(newCase())).toBeUndefined();
  });

  it('changes what is given and leaves the rest as it was', async () => {
    const key = newCase();
    const entry = {
      status: 'open',
      reason: 'PERSON_VERIFIED',
      openedAt: '2027-03-01T09:00:00.000Z',
    } as const;
    await office.index.note(key, { ...entry, execution: key.execution });
    await office.index.note(key, { category: 'referral' });
    await office.index.note(key, { status: 'closed' });
    expect(await office.index.find(key)).toEqual({
      ...entry,
      ...key,
      category: 'referral',
      status: 'closed',
    });
  });

  it('takes a change of nothing at all for what it is', async () => {
    const key = newCase();
    await office.index.note(key, { category: undefined });
    expect(await office.index.find(key)).toBeUndefined();
  });

  it('shows what is not known yet as empty', async () => {
    const key = newCase();
    await office.index.note(key, { status: 'failed' });
    expect(await office.index.find(key)).toEqual({
      ...{ circle: key.circle, case: key.case, status: 'failed' },
      ...{ reason: '', category: undefined, openedAt: '', execution: '' },
    });
  });

  it('lists the cases of one circle, the newest first', async () => {
    const circle = 'another-household' as ReturnType<typeof newCase>['circle'];
    const days = ['2027-03-02', '2027-03-04', '2027-03-03', '2027-03-03'];
    for (const day of days)
      await office.index.note({ ...newCase(), circle }, { openedAt: `${day}T09:00:00.000Z` });
    const listed = await office.index.list(circle);
    expect(listed.map(({ openedAt }) => openedAt.slice(0, 10))).toEqual([...days].sort().reverse());
    const [, one, other] = listed.map((entry) => entry.case);
    expect([one, other].sort()).toEqual([one, other]);
  });
});
