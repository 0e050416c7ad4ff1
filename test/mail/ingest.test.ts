import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { deliverySchema } from '../../lib/mail/delivery.ts';
import { ingest, mailEventSchema } from '../../lib/mail/ingest.ts';
import { rawMail } from '../support/maildelivery.ts';
import { arrive, dispatched, eventOf, type Intake, openIntake, started } from './intake.ts';

const letter = ['From: tom@family.example', 'Subject: A letter', '', 'Please file this.'];
const raw = rawMail(...letter);
const again = rawMail(
  'Received: from mail.family.example by inbox.example; Mon, 1 Mar 2027 09:05:00 +0000',
  ...letter,
);
let intake: Intake;
beforeEach(async () => {
  intake = await openIntake();
});
const recorded = (id: string) => readRecord(intake.store, layout.delivery(id), deliverySchema);

describe('a delivery', () => {
  it('is recorded as the receiver said, and starts the case of its message', async () => {
    await arrive(intake, { id: 'a', raw });
    const [name = ''] = await started(intake);
    expect(name).toMatch(/^c-[0-9a-f]{32}$/);
    expect(await recorded('a')).toEqual({
      id: 'a',
      receivedAt: '2027-03-01T09:00:00.000Z',
      source: 'tom@family.example',
      recipients: ['care@inbox.example'],
      verdicts: { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' },
      mail: { bucket: 'inbox', key: 'mail/a' },
    });
    expect(await intake.store.list(layout.startings)).toEqual([layout.starting('a')]);
  });

  it('starts one case, however often its event comes and at once', async () => {
    await arrive(intake, { id: 'a', raw });
    await Promise.all([1, 2, 3].map(() => ingest(intake, eventOf({ id: 'a', raw }))));
    expect(await started(intake)).toHaveLength(1);
  });

  it('of the same message with other trace headers starts no second case', async () => {
    await arrive(intake, { id: 'a', raw });
    await arrive(intake, { id: 'b', raw: again });
    expect(await started(intake)).toHaveLength(1);
    expect(await intake.store.list(layout.startings)).toHaveLength(2);
  });

  it('that was quarantined does not absorb a later one that is accepted', async () => {
    await arrive(intake, { id: 'a', raw, source: 'mallory@evil.example', verdict: 'FAIL' });
    await arrive(intake, { id: 'b', raw: again });
    const [accepted = '', quarantined = ''] = await started(intake);
    expect(await dispatched(intake, quarantined)).toMatchObject({ standing: 'quarantined' });
    expect(await dispatched(intake, accepted)).toMatchObject({ standing: 'accepted' });
  });

  it('keeps the verdicts of its first event, and no later event opens another case by better ones', async () => {
    await arrive(intake, { id: 'a', raw, source: 'mallory@evil.example', verdict: 'FAIL' });
    await ingest(intake, eventOf({ id: 'a', raw }));
    expect((await recorded('a')).verdicts.dmarc).toBe('FAIL');
    expect(await started(intake)).toEqual([expect.stringMatching(/^q-/)]);
  });

  it('is judged by the first event even if its start was lost before the second came', async () => {
    await arrive(intake, { id: 'a', raw, source: 'mallory@evil.example', verdict: 'FAIL' });
    const late = await openIntake();
    await late.inbox.create('mail/a', raw);
    await late.store.create(layout.delivery('a'), (await intake.store.read(layout.delivery('a'))).bytes);
    await ingest(late, eventOf({ id: 'a', raw }));
    const [name = ''] = await started(late);
    expect(name).toMatch(/^q-/);
    expect(await dispatched(late, name)).toMatchObject({ standing: 'quarantined' });
  });

  it('whose bytes are not in the inbox is refused and can be handed over again', async () => {
    await expect(ingest(intake, eventOf({ id: 'a', raw }))).toFailWithCode('NOT_FOUND');
    expect(await started(intake)).toEqual([]);
    await arrive(intake, { id: 'a', raw });
    expect(await started(intake)).toHaveLength(1);
  });

  it('whose record was tampered with is not taken over', async () => {
    await intake.store.create(layout.delivery('a'), '{}');
    await expect(arrive(intake, { id: 'a', raw })).toFailWithCode('INVALID_INPUT');
  });

  it('with a verdict that is missing or new counts as unknown, which verifies nobody', async () => {
    const event = eventOf({ id: 'a', raw, verdict: 'SPLENDID' });
    const [record] = event.Records;
    delete record?.ses.receipt.virusVerdict;
    await intake.inbox.create('mail/a', raw);
    await ingest(intake, event);
    const unknown = { virus: 'UNKNOWN', spf: 'UNKNOWN', dkim: 'UNKNOWN', dmarc: 'UNKNOWN' };
    expect((await recorded('a')).verdicts).toEqual({ spam: 'PASS', ...unknown });
    expect(await started(intake)).toEqual([expect.stringMatching(/^q-/)]);
  });
});

describe('an event', () => {
  it('without an envelope sender is taken as that of a bounce', () => {
    const [given] = eventOf({ id: 'a', raw }).Records;
    const parsed = mailEventSchema.parse({
      Records: [{ ses: { ...given?.ses, mail: { ...given?.ses.mail, source: null } } }],
    });
    expect(parsed.Records[0]?.ses.mail.source).toBe('');
  });
});
