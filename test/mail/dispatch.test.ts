import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { resumeCase } from '../../lib/casefile/resumption.ts';
import { caseRecordSchema } from '../../lib/casefile/schemas.ts';
import { dispatch } from '../../lib/mail/dispatch.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { rawMail } from '../support/maildelivery.ts';
import { arrive, dispatched, type Intake, openIntake, started } from './intake.ts';

const mail = (subject: string) =>
  rawMail('From: tom@family.example', `Subject: ${subject}`, '', 'Please file this.');
const raw = mail('A letter');
const forged = { source: 'mallory@evil.example', verdict: 'FAIL' };
let intake: Intake;
beforeEach(async () => {
  intake = await openIntake();
});
const keyOf = (name: string) => ({ circle: intake.circle.id, case: name as CaseId });
const hour = 3_600_000;
const day = 24 * hour;
const withLimits = (limits: object) => ({
  circle: { ...intake.circle, limits: { ...intake.circle.limits, ...limits } },
});
/** The name of the execution that a mail starts. */
async function opened(id: string, bytes: Uint8Array, more = {}): Promise<string> {
  const before = await started(intake);
  await arrive(intake, { id, raw: bytes, ...more });
  const name = (await started(intake)).find((each) => !before.includes(each));
  return name ?? '';
}

describe('dispatch', () => {
  it('makes the case of an accepted mail and tells the machine its limits, ids and codes only', async () => {
    const name = await opened('a', raw);
    expect(await dispatched(intake, name)).toEqual({
      standing: 'accepted',
      reason: 'PERSON_VERIFIED',
      round: 1,
      nextAction: 1,
      approvalSeconds: 72 * 3600,
      modelCalls: 20,
      mostActions: 8,
    });
    const record = await readRecord(intake.store, layout.case(keyOf(name)), caseRecordSchema);
    expect(record.judgement.sender).toEqual({ list: 'people', id: 'tom' });
    expect((await intake.store.read(record.mail.key)).bytes).toEqual(raw);
    expect(await intake.index.find(keyOf(name))).toMatchObject({ status: 'open', execution: name });
  });

  it('repeated is the same and changes nothing', async () => {
    const name = await opened('a', raw);
    const first = await dispatched(intake, name);
    const kept = await intake.store.read(layout.case(keyOf(name)));
    intake.clock.advance(60_000);
    expect(await dispatched(intake, name)).toEqual(first);
    expect((await intake.store.read(layout.case(keyOf(name)))).sha256).toBe(kept.sha256);
  });

  it('of two at once makes one case', async () => {
    const name = await opened('a', raw);
    const ticking = { ...intake.clock, now: () => intake.clock.now() + Math.floor(performance.now()) };
    const both = await Promise.all([1, 2].map(() => dispatched(intake, name, { clock: ticking })));
    expect(both[1]).toEqual(both[0]);
  });

  it('ends another delivery of the same message as a duplicate, and leaves the case as it stands', async () => {
    const name = await opened('a', raw);
    await dispatched(intake, name);
    await intake.index.note(keyOf(name), { status: 'closed' });
    expect(await opened('b', raw)).toBe('');
    const delivery = await intake.store.read(layout.delivery('b'));
    const given = await readRecord(intake.store, layout.case(keyOf(name)), caseRecordSchema);
    const again = await dispatch(
      { ...intake, openRequests: async () => 0 },
      {
        ...{ ...keyOf(name), execution: name, message: given.message, run: 0 },
        delivery: { key: delivery.key, sha256: delivery.sha256 },
      },
    );
    expect(again).toMatchObject({ standing: 'duplicate', reason: 'PERSON_VERIFIED' });
    expect(await intake.index.find(keyOf(name))).toMatchObject({ status: 'closed' });
  });

  it('refuses bytes that are not the message it was started for', async () => {
    const name = await opened('a', raw);
    await intake.inbox.create('mail/b', mail('Another'));
    const [delivery, other] = [
      await intake.store.read(layout.delivery('a')),
      await intake.inbox.read('mail/b'),
    ];
    const input = {
      ...{ ...keyOf(name), execution: name, message: other.sha256, run: 0 },
      delivery: { key: delivery.key, sha256: delivery.sha256 },
    };
    const parts = { ...intake, openRequests: async () => 0 };
    await expect(dispatch(parts, input)).toFailWithCode('DIGEST_MISMATCH');
    expect(await intake.store.find(layout.case(keyOf(name)))).toBeUndefined();
  });

  it('never reuses the number of an action', async () => {
    const name = await opened('a', raw);
    await intake.store.create(layout.proposal(keyOf(name), 4), '{}');
    expect(await dispatched(intake, name)).toMatchObject({ nextAction: 5 });
  });

  it.each([
    ['bytes that are not a mail', Uint8Array.from([0, 1, 2, 3]), {}, 'NOT_A_MAIL'],
    ['nothing at all', new Uint8Array(), {}, 'NOT_A_MAIL'],
    ['a virus, without reading the mail', Uint8Array.from([0]), { virus: 'FAIL' }, 'VIRUS_FOUND'],
    ['a mail that the virus scan could not read', raw, { virus: 'PROCESSING_FAILED' }, 'SCAN_FAILED'],
    ['a mail that only claims to be from a person', raw, forged, 'SENDER_UNVERIFIED'],
  ])('quarantines %s', async (_name, bytes, more, reason) => {
    const name = await opened('a', bytes, more);
    expect(name).toMatch(/^q-/);
    expect(await dispatched(intake, name)).toMatchObject({ standing: 'quarantined', reason });
  });
});

describe('a cap', () => {
  it('of mails a day defers what comes over it, and counts admitted mails alone', async () => {
    const one = withLimits({ mailsPerDay: 1 });
    const stranger = await opened('a', mail('Spam'), forged);
    await dispatched(intake, stranger, one);
    const first = await opened('b', raw);
    expect(await dispatched(intake, first, one)).toMatchObject({ standing: 'accepted' });
    expect(await dispatched(intake, first, one)).toMatchObject({ standing: 'accepted' });
    const second = await opened('c', mail('Another'));
    const deferred = { standing: 'deferred', reason: 'DAILY_CAP_REACHED' };
    expect(await dispatched(intake, second, one)).toMatchObject(deferred);
    intake.clock.advance(86_400_000);
    const third = await opened('d', mail('A third'));
    expect(await dispatched(intake, third, one)).toMatchObject({ standing: 'accepted' });
  });

  it('of mails a day ends at the midnight of the household, wherever it lives', async () => {
    const { circle } = withLimits({ mailsPerDay: 1 });
    const far = { circle: { ...circle, timezone: 'Asia/Tokyo' } };
    const midnight = Math.ceil(intake.clock.now() / day) * day + 15 * hour; // there, at 15:00 UTC
    intake.clock.advance(midnight - 2 * hour - intake.clock.now());
    await dispatched(intake, await opened('a', raw), far);
    intake.clock.advance(2 * hour - 1);
    const before = await dispatched(intake, await opened('b', mail('Before')), far);
    intake.clock.advance(1);
    const after = await dispatched(intake, await opened('c', mail('After')), far);
    expect([before.standing, after.standing]).toEqual(['deferred', 'accepted']);
  });

  it.each([
    [9, 'accepted', 'PERSON_VERIFIED'],
    [10, 'deferred', 'APPROVALS_CAP_REACHED'],
  ])('of open approvals, with %i of ten open, has a mail %s', async (open, standing, reason) => {
    const name = await opened('a', raw);
    const parts = { openRequests: async () => open };
    expect(await dispatched(intake, name, parts)).toMatchObject({ standing, reason });
  });

  it('does not hold a run that was begun again', async () => {
    const name = await opened('a', raw);
    const full = { openRequests: async () => 10 };
    expect(await dispatched(intake, name, full)).toMatchObject({ standing: 'deferred' });
    await intake.index.note(keyOf(name), { status: 'deferred' });
    const { execution } = await resumeCase(intake, keyOf(name));
    expect(await dispatched(intake, execution, full)).toMatchObject({ standing: 'accepted', round: 11 });
  });

  it('keeps no mail of a stranger from quarantine', async () => {
    const name = await opened('a', raw, forged);
    const full = { openRequests: async () => 10 };
    expect(await dispatched(intake, name, full)).toMatchObject({ standing: 'quarantined' });
  });
});

describe('a release from quarantine', () => {
  it('opens the very message as a case of its own, once', async () => {
    const name = await opened('a', raw, forged);
    await dispatched(intake, name);
    await intake.index.note(keyOf(name), { status: 'quarantined' });
    const released = await resumeCase(intake, keyOf(name));
    expect(released.case).toMatch(/^c-/);
    const accepted = { standing: 'accepted', reason: 'RELEASED_BY_PERSON' };
    expect(await dispatched(intake, released.execution)).toMatchObject(accepted);
    expect(await intake.index.find(keyOf(name))).toMatchObject({ status: 'released' });
    await expect(resumeCase(intake, keyOf(name))).toFailWithCode('INVALID_INPUT');
  });

  it.each([{ virus: 'FAIL' }, { virus: 'GRAY' }, { virus: 'PROCESSING_FAILED' }])(
    'is refused for a mail that may hold a virus: %j',
    async (verdict) => {
      const name = await opened('a', raw, verdict);
      await dispatched(intake, name);
      await intake.index.note(keyOf(name), { status: 'quarantined' });
      await expect(resumeCase(intake, keyOf(name))).toFailWithCode('INVALID_INPUT');
      expect(await started(intake)).toEqual([name]);
    },
  );

  it('that nobody ordered opens nothing: a case id is not a permission', async () => {
    const name = await opened('a', raw, forged);
    await dispatched(intake, name);
    const { message, delivery } = await readRecord(intake.store, layout.case(keyOf(name)), caseRecordSchema);
    const claimed = name.replace('q-', 'c-');
    const input = { ...keyOf(claimed), execution: claimed, message, run: 0, delivery };
    const verdict = await dispatch({ ...intake, openRequests: async () => 0 }, input);
    expect(verdict).toMatchObject({ standing: 'quarantined', reason: 'SENDER_UNVERIFIED' });
  });
});
