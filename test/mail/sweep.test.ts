import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { deliverySchema } from '../../lib/mail/delivery.ts';
import { sweepDeferred, sweepInbox } from '../../lib/mail/sweep.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { rawMail } from '../support/maildelivery.ts';
import { arrive, dispatched, type Intake, openIntake, started } from './intake.ts';

const mail = (subject: string) => rawMail('From: tom@family.example', `Subject: ${subject}`, '', 'Hello.');
const minutes = 60_000;
let intake: Intake;
beforeEach(async () => {
  intake = await openIntake();
});

describe('the sweep of the inbox', () => {
  it('leaves a mail alone whose event may still be on its way', async () => {
    await intake.inbox.create('mail/a', mail('Young'));
    intake.clock.advance(9 * minutes);
    expect((await sweepInbox(intake)).started).toBe(0);
    expect(await started(intake)).toEqual([]);
  });

  it('takes over a mail whose event was lost, with verdicts that are unknown and verify nobody', async () => {
    await intake.inbox.create('mail/a', mail('Lost'));
    intake.clock.advance(11 * minutes);
    expect((await sweepInbox(intake)).started).toBe(1);
    const { verdicts, source } = await readRecord(intake.store, layout.delivery('a'), deliverySchema);
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['UNKNOWN']));
    expect(source).not.toBe('');
    const [name = ''] = await started(intake);
    expect(await dispatched(intake, name)).toMatchObject({
      standing: 'quarantined',
      reason: 'SENDER_UNVERIFIED',
    });
    expect((await sweepInbox(intake)).started).toBe(0);
  });

  it('lets an event that comes after it change nothing', async () => {
    await intake.inbox.create('mail/a', mail('Late'));
    intake.clock.advance(11 * minutes);
    await sweepInbox(intake);
    await arrive(intake, { id: 'a', raw: mail('Late') });
    expect(await started(intake)).toEqual([expect.stringMatching(/^q-/)]);
  });

  it('starts at once what was recorded but never started, by what its event said', async () => {
    await arrive(intake, { id: 'a', raw: mail('Recorded') });
    const delivery = (await intake.store.read(layout.delivery('a'))).bytes;
    const other = await openIntake();
    await other.inbox.create('mail/a', mail('Recorded'));
    await other.store.create(layout.delivery('a'), delivery);
    expect((await sweepInbox(other)).started).toBe(1);
    expect(await started(other)).toEqual(await started(intake));
  });

  it('leaves what the receiver wrote when it was set up', async () => {
    await intake.inbox.create('mail/AMAZON_SES_SETUP_NOTIFICATION', mail('Set up'));
    intake.clock.advance(60 * minutes);
    expect((await sweepInbox(intake)).started).toBe(0);
  });

  it('does not let one that cannot be taken over keep the ones behind it waiting', async () => {
    await intake.inbox.create('mail/a', mail('Damaged'));
    await intake.store.create(layout.delivery('a'), '{}');
    await intake.inbox.create('mail/b', mail('Sound'));
    intake.clock.advance(11 * minutes);
    await expect(sweepInbox(intake)).toFailWithCode('INVALID_INPUT');
    expect(await intake.store.list(layout.startings)).toEqual([layout.starting('b')]);
  });
});

describe('the sweep of what a cap put off', () => {
  const room = (open: number) => ({ ...intake, openRequests: async () => open });
  /** Two accepted mails that a cap put off, the first a minute before the second. */
  async function deferred(reason: string): Promise<string[]> {
    const names: string[] = [];
    for (const id of ['a', 'b']) {
      await arrive(intake, { id, raw: mail(id) });
      const name = (await started(intake)).find((each) => !names.includes(each)) ?? '';
      await dispatched(intake, name);
      await intake.index.note(
        { circle: intake.circle.id, case: name as CaseId },
        { status: 'deferred', reason },
      );
      names.push(name);
      intake.clock.advance(minutes);
    }
    return names;
  }

  it('does nothing where nothing was put off', async () => {
    expect(await sweepDeferred(room(0))).toBe(0);
  });

  it('takes what waited for approvals up once there is room, the oldest first', async () => {
    const [oldest = ''] = await deferred('APPROVALS_CAP_REACHED');
    expect(await sweepDeferred(room(10))).toBe(0);
    expect(await sweepDeferred(room(9))).toBe(1);
    expect((await started(intake)).filter((name) => name.endsWith('-r1'))).toEqual([`${oldest}-r1`]);
  });

  it('takes what came over the cap of a day up on the next day, where the household lives', async () => {
    const day = 1440 * minutes;
    const midnight = Math.ceil(intake.clock.now() / day) * day + 900 * minutes; // in Tokyo, at 15:00 UTC
    intake.clock.advance(midnight - 60 * minutes - intake.clock.now());
    await deferred('DAILY_CAP_REACHED');
    const circle = { ...intake.circle, timezone: 'Asia/Tokyo' };
    const at = (now: number) => ({ ...room(0), circle, clock: { now: () => now } });
    expect(await sweepDeferred(at(midnight - 1))).toBe(0);
    expect(await sweepDeferred(at(midnight))).toBe(2);
    expect((await started(intake)).filter((name) => name.endsWith('-r1'))).toHaveLength(2);
  });
});
