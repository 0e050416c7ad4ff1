import { beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../lib/approval/decide.ts';
import { finishDecided } from '../../lib/approval/finish.ts';
import { summarizeQuarantine } from '../../lib/approval/quarantine.ts';
import { sweepApprovals } from '../../lib/approval/sweep.ts';
import { closeCase } from '../../lib/casefile/closing.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { caseRecordSchema, releaseChoiceSchema, releaseRecordSchema } from '../../lib/casefile/schemas.ts';
import { type CaseId, caseIdOf } from '../../lib/provenance/identifiers.ts';
import { arrive, dispatched, type Intake, openIntake, started } from '../mail/intake.ts';
import { rawMail } from '../support/maildelivery.ts';
import { ManualClock } from '../support/time.ts';

const hour = 3_600_000;
let intake: Intake;
beforeEach(async () => {
  intake = { ...(await openIntake()), clock: new ManualClock('2027-03-01T09:00:00.000Z') };
});

/** A stranger's mail, as far as quarantine. */
async function held(subject: string, more: { virus?: string } = {}): Promise<CaseId> {
  const raw = rawMail('From: Call 0800 <mallory@evil.example>', `Subject: ${subject}`, '', 'Click here.');
  const before = await started(intake);
  await arrive(intake, { id: subject.replaceAll(/\W/g, ''), raw, source: 'mallory@evil.example', ...more });
  const name = (await started(intake)).find((each) => !before.includes(each)) ?? '';
  const { standing, reason } = await dispatched(intake, name);
  const id = name as CaseId;
  await closeCase(intake, { circle: intake.circle.id, case: id, execution: name, standing, reason });
  return id;
}

const keyOf = (id: CaseId) => ({ circle: intake.circle.id, case: id });
const links = (text: string): string[] => [...text.matchAll(/\/a\/(\S+)/g)].map(([, link]) => link ?? '');

describe('the summary of the quarantine', () => {
  it('is one mail a day to the owner, with a link for each mail and one code', async () => {
    await held('First');
    await held('Second');
    expect(await summarizeQuarantine(intake)).toEqual({ named: 2, sent: 1 });
    const [mail, ...more] = await intake.mails();
    expect(more).toEqual([]);
    expect(mail?.to).toEqual(['maya@family.example']);
    expect(new Set(links(mail?.text ?? '')).size).toBe(2);
    expect(mail?.code).toMatch(/^\d{6}$/);

    await held('Third');
    expect(await summarizeQuarantine(intake)).toEqual({ named: 2, sent: 0 });
    intake.clock.advance(24 * hour);
    expect(await summarizeQuarantine(intake)).toEqual({ named: 1, sent: 1 });
    expect((await intake.mails()).at(-1)?.text).toContain('> Third');
  });

  it('quotes the stranger and lets nothing of it be clicked or dialled', async () => {
    await held('See https://evil.example/pay or <script>alert(1)</script> now');
    await summarizeQuarantine(intake);
    const [mail] = await intake.mails();
    expect(mail?.text).not.toMatch(/evil\.example|0800/);
    expect(mail?.html).not.toContain('<script>');
    expect(mail?.html).toContain('&lt;script&gt;');
  });

  it('names a mail that must not be opened, without its words and without a link', async () => {
    await held('Invoice', { virus: 'FAIL' });
    expect(await summarizeQuarantine(intake)).toEqual({ named: 1, sent: 1 });
    const [mail] = await intake.mails();
    expect(mail).toMatchObject({ link: '', code: '' });
    expect(mail?.text).toContain('a virus was found in it');
    expect(mail?.text).not.toContain('Invoice');
  });

  it('is sent when it is day where the circle lives, and not at all without a mail', async () => {
    expect(await summarizeQuarantine(intake)).toEqual({ named: 0, sent: 0 });
    await held('Late');
    intake.clock.advance(21 * hour); // six in the morning
    expect(await summarizeQuarantine(intake)).toEqual({ named: 0, sent: 0 });
    intake.clock.advance(hour);
    expect(await summarizeQuarantine(intake)).toEqual({ named: 1, sent: 1 });
  });

  it('that could not be sent is sent by the next round, with a code that works', async () => {
    const id = await held('Again');
    intake.faults.ses = () => 'Throttling';
    await expect(summarizeQuarantine(intake)).toFailWithCode('NOTICE_NOT_SENT');
    delete intake.faults.ses;
    expect(await summarizeQuarantine(intake)).toEqual({ named: 1, sent: 1 });
    const [mail] = await intake.mails();
    const choice = { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'approve' as const };
    expect(await decide(intake, choice)).toMatchObject({ kind: 'release', status: 'approved' });
    expect(await intake.index.find(keyOf(id))).toMatchObject({ status: 'released' });
  });

  it('of a flood names twenty and counts the rest, which wait for the next day', async () => {
    for (let number = 1; number <= 22; number += 1) await held(`Flood ${number}`);
    expect(await summarizeQuarantine(intake)).toEqual({ named: 20, sent: 1 });
    const [mail] = await intake.mails();
    expect(mail?.text).toContain('2 more are in quarantine');
    expect(await intake.register.countWaiting(intake.circle.id)).toBe(0);
    intake.clock.advance(24 * hour);
    expect(await summarizeQuarantine(intake)).toEqual({ named: 2, sent: 1 });
  }, 30_000);
});

describe('a release', () => {
  it('by link and code starts the mail as a case of its own, with the proof of who said so', async () => {
    const id = await held('A letter');
    await summarizeQuarantine(intake);
    const [mail] = await intake.mails();
    const wrong = decide(intake, { link: mail?.link ?? '', code: otherThan(mail?.code), choice: 'approve' });
    await expect(wrong).toFailWithCode('APPROVAL_CODE_WRONG');
    expect(await intake.index.find(keyOf(id))).toMatchObject({ status: 'quarantined' });

    const choice = { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'approve' as const };
    expect(await decide(intake, choice)).toMatchObject({ kind: 'release', status: 'approved' });
    const { message } = await readRecord(intake.store, layout.case(keyOf(id)), caseRecordSchema);
    const released = keyOf(caseIdOf(intake.circle.id, message, true));
    expect(await started(intake)).toContain(released.case);
    expect(await dispatched(intake, released.case)).toMatchObject({
      standing: 'accepted',
      reason: 'RELEASED_BY_PERSON',
    });
    const release = await readRecord(intake.store, layout.release(released), releaseRecordSchema);
    expect(release.case).toBe(id);
    const kept = await readRecord(intake.store, release.choice ?? '', releaseChoiceSchema);
    expect(kept).toMatchObject({ person: 'maya', choice: 'approve', link: mail?.link });
    await expect(decide(intake, choice)).toFailWithCode('APPROVAL_CLOSED');
  });

  it('that is declined leaves the mail where it is, and is not asked for again', async () => {
    const id = await held('Not wanted');
    await summarizeQuarantine(intake);
    const [mail] = await intake.mails();
    const choice = { link: mail?.link ?? '', code: mail?.code ?? '', choice: 'decline' as const };
    const { approval, status } = await decide(intake, choice);
    expect(status).toBe('declined');
    expect(await finishDecided(intake, approval)).toBe('confirmed');
    expect(await intake.index.find(keyOf(id))).toMatchObject({ status: 'quarantined' });
    expect(await started(intake)).toEqual([id]);
    intake.clock.advance(24 * hour);
    expect(await summarizeQuarantine(intake)).toEqual({ named: 0, sent: 0 });
  });

  it('is neither reminded of nor open for ever', async () => {
    await held('Ignored');
    await summarizeQuarantine(intake);
    intake.clock.advance(5 * 24 * hour);
    expect(await sweepApprovals(intake)).toEqual({ finished: 0, reminded: 0, expired: 0 });
    intake.clock.advance(3 * 24 * hour);
    expect(await sweepApprovals(intake)).toEqual({ finished: 0, reminded: 0, expired: 1 });
    expect(await intake.mails()).toHaveLength(1);
  });
});

function otherThan(code = '000000'): string {
  return code === '123456' ? '654321' : '123456';
}
