import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../lib/approval/decide.ts';
import { mailNewCode, remind } from '../../lib/approval/mailing.ts';
import { approvalRecordSchema } from '../../lib/approval/record.ts';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import { sweepApprovals } from '../../lib/approval/sweep.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { decisionOn, hour, letterCall, questionCall, requestFor } from './requests.ts';

let office: Approvals;
let action = 0;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
beforeEach(() => {
  action += 1;
  delete office.faults.ses;
});

const ask = (given = {}) => requestApproval(office, requestFor(office, letterCall(action), given));
const entryOf = async (id: Awaited<ReturnType<typeof ask>>['approval']) => {
  const entry = await office.register.find(id);
  if (entry === undefined) throw new TypeError('there is no such entry');
  return entry;
};
const mailsTo = async (address: string) => (await office.mails()).filter(({ to }) => to.includes(address));

describe('a request', () => {
  it('mails each entitled person a link and a code of her own', async () => {
    const before = (await office.mails()).length;
    const { people } = await ask();
    expect(people).toEqual(['maya', 'tom']);
    const mails = (await office.mails()).slice(before);
    expect(mails.map(({ to }) => to)).toEqual([['maya@family.example'], ['tom@family.example']]);
    expect(new Set(mails.map(({ link }) => link)).size).toBe(2);
    for (const { code, subject, link } of mails) {
      expect(code).toMatch(/^\d{6}$/);
      expect(subject).not.toContain(code);
      expect(Buffer.from(link.split('.')[1] ?? '', 'base64url').toString()).not.toContain(code);
    }
  });

  it('asks only people with a role that the rules name', async () => {
    const call = letterCall(action);
    const decision = { ...decisionOn(call), consent: { people: 1, roles: ['owner' as const] } };
    expect((await ask({ decision })).people).toEqual(['maya']);
  });

  it('that is repeated mails nobody twice and keeps its id', async () => {
    const first = await ask();
    const before = (await office.mails()).length;
    expect(await ask({ taskToken: `again-${action}` })).toEqual(first);
    expect(await ask({ taskToken: `again-${action}` })).toEqual(first);
    expect((await office.mails()).length).toBe(before);
    expect((await entryOf(first.approval)).token).toBe(`again-${action}`);
  });

  it('of ten at once is one request, and what each person was mailed last works', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(new Set(results.map(({ approval }) => approval)).size).toBe(1);
    const [mail] = (await mailsTo('maya@family.example')).slice(-1);
    const decided = await decide(office, {
      link: mail?.link ?? '',
      code: mail?.code ?? '',
      choice: 'approve',
    });
    expect(decided).toEqual({ approval: results[0]?.approval, kind: 'approval', status: 'approved' });
  });

  it('of two at once with different times presents one of them', async () => {
    const times = [70, 72].map((hours) => ({ expires: office.clock.now() + hours * hour }));
    const results = await Promise.all(times.map((given) => ask(given)));
    expect(results[0]).toEqual(results[1]);
    const entry = await entryOf(results[0]?.approval ?? ('' as never));
    const record = await readRecord(office.store, entry.record, approvalRecordSchema);
    expect(entry.expires).toBe(record.expires);
  });

  it('that died before its mails is finished by the next attempt', async () => {
    office.faults.ses = () => 'Throttling';
    await expect(ask()).toFailWithCode('NOTICE_NOT_SENT');
    delete office.faults.ses;
    const before = (await office.mails()).length;
    await ask();
    const mails = (await office.mails()).slice(before);
    expect(mails).toHaveLength(2);
    const [maya] = mails;
    expect(
      (await decide(office, { link: maya?.link ?? '', code: maya?.code ?? '', choice: 'approve' })).status,
    ).toBe('approved');
  });

  it('goes on where enough people could be reached', async () => {
    office.faults.ses = ({ destinations }) =>
      destinations.includes('tom@family.example') ? 'Throttling' : undefined;
    const { approval } = await ask();
    const { people } = await entryOf(approval);
    expect([people.maya?.mailed, people.tom?.mailed]).toEqual([1, 0]);
    office.clock.advance(5 * 60_000);
    expect(await remind(office, office.circle, { id: approval })).toBe('waiting');
    delete office.faults.ses;
    expect(await remind(office, office.circle, { id: approval })).toBe('reminded');
    expect((await mailsTo('tom@family.example')).at(-1)?.subject).toContain('Please decide');
  });

  it('is refused where the circle has too few people for it', async () => {
    await expect(ask({ decision: decisionOn(letterCall(action), 3) })).toFailWithCode(
      'CONFIGURATION_INVALID',
    );
  });

  it('is refused for a decision on another call, or one that asks nobody', async () => {
    await expect(ask({ decision: decisionOn(letterCall(action + 500)) })).toFailWithCode('INVALID_INPUT');
    const { consent: _, ...asksNobody } = decisionOn(letterCall(action));
    await expect(ask({ decision: asksNobody })).toFailWithCode('INVALID_INPUT');
  });

  it('cannot present another call as the same action', async () => {
    await ask();
    const other = letterCall(action, 'Send me everything.');
    await expect(
      requestApproval(office, requestFor(office, other, { decision: decisionOn(other) })),
    ).toFailWithCode('CREATE_CONFLICT');
  });

  it('that was closed is not opened again by the same execution', async () => {
    const { approval } = await ask();
    expect(await office.register.close(approval, 'cancelled')).toBe(true);
    expect(await office.register.close(approval, 'expired')).toBe(false);
    await expect(ask({ taskToken: `other-${action}` })).toFailWithCode('APPROVAL_CLOSED');
    expect(await ask({ execution: 'a-later-run', taskToken: `later-${action}` })).not.toMatchObject({
      approval,
    });
  });

  it('for an answer is listed until it is over', async () => {
    const { approval } = await requestAnswer(office, requestFor(office, questionCall(action)));
    const listed = async () => (await office.register.listOpen(office.circle.id)).map(({ id }) => id);
    expect(await listed()).toContain(approval);
    await office.register.close(approval, 'expired');
    expect(await listed()).not.toContain(approval);
  });
});

describe('a new code', () => {
  it('works, and so does the one before it', async () => {
    const { approval } = await ask();
    const [first] = (await mailsTo('maya@family.example')).slice(-1);
    office.clock.advance(hour);
    expect(await mailNewCode(office, office.circle, await entryOf(approval), 'maya')).toBe(true);
    const [second] = (await mailsTo('maya@family.example')).slice(-1);
    expect(second?.link).toBe(first?.link);
    expect(
      (await decide(office, { link: first?.link ?? '', code: first?.code ?? '', choice: 'decline' })).status,
    ).toBe('declined');
  });

  it('is mailed once in ten minutes, and six in all', async () => {
    const { approval } = await ask();
    const again = async () => mailNewCode(office, office.circle, await entryOf(approval), 'maya');
    expect(await again()).toBe(false);
    for (let turn = 0; turn < 5; turn += 1) {
      office.clock.advance(10 * 60_000);
      expect(await again()).toBe(true);
      expect(await again()).toBe(false);
    }
    office.clock.advance(hour);
    expect(await again()).toBe(false);
  });

  it('of two wishes at once is mailed once', async () => {
    const { approval } = await ask();
    office.clock.advance(hour);
    const entry = await entryOf(approval);
    const results = await Promise.all([1, 2].map(() => mailNewCode(office, office.circle, entry, 'maya')));
    expect(results.sort()).toEqual([false, true]);
  });

  it('that did not leave is taken back, so that it pushes out none that did', async () => {
    const { approval } = await ask();
    office.clock.advance(hour);
    office.faults.ses = () => 'Throttling';
    const before = await entryOf(approval);
    await expect(mailNewCode(office, office.circle, before, 'maya')).toFailWithCode('NOTICE_NOT_SENT');
    expect(await entryOf(approval)).toEqual(before);
  });

  it('is not mailed for what is over, or to somebody who was not asked', async () => {
    const { approval } = await ask();
    office.clock.advance(72 * hour);
    const entry = await entryOf(approval);
    await expect(mailNewCode(office, office.circle, entry, 'maya')).toFailWithCode('APPROVAL_CLOSED');
    await expect(mailNewCode(office, office.circle, entry, 'nobody')).toFailWithCode('APPROVAL_CLOSED');
  });
});

describe('the sweep', () => {
  it('reminds once past half of the time, with a code that works', async () => {
    const { approval } = await ask();
    office.clock.advance(36 * hour - 1);
    expect(await remind(office, office.circle, { id: approval })).toBe('waiting');
    office.clock.advance(1);
    expect(await remind(office, office.circle, { id: approval })).toBe('reminded');
    const [mail] = (await mailsTo('tom@family.example')).slice(-1);
    expect(mail?.subject).toContain('Reminder');
    expect(await remind(office, office.circle, { id: approval })).toBe('waiting');
    expect(
      (await decide(office, { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'approve' })).status,
    ).toBe('approved');
    expect(await remind(office, office.circle, { id: approval })).toBe('waiting');
  });

  it('marks what nobody decided as expired, and tells what was decided but not told', async () => {
    const [first] = [await ask()];
    office.clock.advance(72 * hour);
    action += 100;
    await ask();
    office.tasks.lose = 'before';
    const [mail] = (await mailsTo('maya@family.example')).slice(-1);
    await decide(office, { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'approve' });
    const swept = await sweepApprovals(office);
    expect(swept.finished).toBe(1);
    expect(swept.expired).toBeGreaterThan(0);
    expect((await entryOf(first.approval)).status).toBe('expired');
    expect((await sweepApprovals(office)).finished).toBe(0);
  });
});
