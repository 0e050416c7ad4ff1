import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../lib/mail/delivery.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { judge } from '../../lib/mail/sender.ts';
import { loadCircle } from '../../lib/provenance/circle.ts';
import { deliveryOf, rawMail } from '../support/maildelivery.ts';

const circle = loadCircle('rules/circle.example.yaml');
const maya = 'maya@family.example';
const clinic = 'records@hillside-clinic.example';
const stranger = 'someone@elsewhere.example';

async function judged(from: string, delivery: Delivery, ...headers: string[]) {
  return judge(await parseMessage(rawMail(`From: ${from}`, ...headers, '', 'x')), delivery, circle);
}

describe('a person of the circle', () => {
  it('is accepted when DMARC passed for the address in From', async () => {
    expect(await judged('"Maya" <MAYA@family.example>', deliveryOf(maya))).toEqual({
      standing: 'accepted',
      reason: 'PERSON_VERIFIED',
      sender: { list: 'people', id: 'maya' },
    });
  });

  it('is accepted by SPF alone where the domain has no DMARC policy and the envelope sender is the same', async () => {
    const own = deliveryOf(maya, { dmarc: 'GRAY', dkim: 'FAIL' });
    expect(await judged(maya, own)).toMatchObject({ reason: 'PERSON_VERIFIED' });
  });

  it.each([
    ['DMARC failed', deliveryOf(stranger, { dmarc: 'FAIL' })],
    ['only DKIM passed, of whatever domain', deliveryOf(stranger, { dmarc: 'GRAY', spf: 'FAIL' })],
    ['SPF passed for another envelope sender', deliveryOf(stranger, { dmarc: 'GRAY' })],
    ['nothing is known', deliveryOf(maya, { dmarc: 'UNKNOWN', spf: 'UNKNOWN', dkim: 'UNKNOWN' })],
    ['the checks were off', deliveryOf(maya, { dmarc: 'DISABLED', spf: 'DISABLED', dkim: 'DISABLED' })],
  ])('is not believed when %s', async (_, delivery) => {
    expect(await judged(maya, delivery)).toEqual({ standing: 'quarantined', reason: 'SENDER_UNVERIFIED' });
  });

  it.each([
    ['a display name', `"${maya}" <${stranger}>`],
    ['a sub-address', 'maya+care@family.example'],
    ['a look-alike letter', 'mаya@family.example'],
    ['a look-alike domain', 'maya@family-example.example'],
  ])('is not recognised by %s', async (_, from) => {
    expect(await judged(from, deliveryOf(stranger))).toMatchObject({
      standing: 'quarantined',
      reason: 'SENDER_UNKNOWN',
    });
  });

  it('is not believed beside a second address', async () => {
    expect(await judged(`${maya}, ${stranger}`, deliveryOf(stranger))).toMatchObject({
      reason: 'SENDER_UNVERIFIED',
    });
    expect(await judged(maya, deliveryOf(stranger), `From: ${stranger}`)).toMatchObject({
      standing: 'quarantined',
    });
  });

  it('is not made by headers that a sender can write', async () => {
    const forged = deliveryOf(stranger, { dmarc: 'FAIL', spf: 'FAIL', dkim: 'FAIL' });
    const headers = [
      'Authentication-Results: inbound.example; dmarc=pass',
      'X-SES-DMARC-Verdict: PASS',
      `Return-Path: <${maya}>`,
    ];
    expect(await judged(maya, forged, ...headers)).toMatchObject({ standing: 'quarantined' });
  });
});

describe('an automatic forward', () => {
  it('is accepted when SPF proves that it came from a mailbox of the circle', async () => {
    expect(await judged(stranger, deliveryOf(maya, { dmarc: 'FAIL' }))).toEqual({
      standing: 'accepted',
      reason: 'PERSON_FORWARDED',
      sender: { list: 'people', id: 'maya' },
    });
  });

  it('is accepted from the one address that Gmail makes of the mailbox and of our inbox', async () => {
    const gmail = deliveryOf('maya+caf_=care=inbox.example@family.example', { dmarc: 'FAIL' });
    expect(await judged(stranger, gmail)).toMatchObject({ reason: 'PERSON_FORWARDED' });
  });

  it.each([
    ['SPF failed', deliveryOf(maya, { spf: 'FAIL', dmarc: 'FAIL' })],
    ['the envelope sender is a sub-address', deliveryOf('maya+x@family.example', { dmarc: 'FAIL' })],
    [
      'it was set up for another inbox',
      deliveryOf('maya+caf_=care=evil.example@family.example', { dmarc: 'FAIL' }),
    ],
    ['a contact forwarded it', deliveryOf(clinic, { dmarc: 'FAIL' })],
  ])('is not believed when %s', async (_, delivery) => {
    expect(await judged(stranger, delivery)).toEqual({ standing: 'quarantined', reason: 'SENDER_UNKNOWN' });
  });
});

describe('a contact of the circle', () => {
  it('is taken as a contact when verified, and quarantined when not', async () => {
    expect(await judged(clinic, deliveryOf(clinic))).toEqual({
      standing: 'contact',
      reason: 'CONTACT_VERIFIED',
      sender: { list: 'contacts', id: 'hillside-records' },
    });
    expect(await judged(clinic, deliveryOf(clinic, { dmarc: 'FAIL' }))).toMatchObject({
      reason: 'SENDER_UNVERIFIED',
    });
  });
});

describe('what was found in a mail', () => {
  it.each([
    ['VIRUS_FOUND', { virus: 'FAIL' }],
    ['SCAN_FAILED', { virus: 'PROCESSING_FAILED' }],
    ['SCAN_FAILED', { virus: 'GRAY' }],
    ['SPAM_FOUND', { spam: 'FAIL' }],
  ] as const)('keeps it back as %s, whoever sent it', async (reason, verdicts) => {
    expect(await judged(maya, deliveryOf(maya, verdicts))).toEqual({ standing: 'quarantined', reason });
  });

  it('does not keep back what could not be judged as spam', async () => {
    expect(await judged(maya, deliveryOf(maya, { spam: 'PROCESSING_FAILED' }))).toMatchObject({
      standing: 'accepted',
    });
  });
});

describe('mail that starts nothing', () => {
  it.each([
    ['OWN_MAIL', circle.senders.notices, deliveryOf(circle.senders.notices), ''],
    ['OWN_MAIL', circle.senders.letters, deliveryOf(stranger, { dmarc: 'FAIL' }), ''],
    ['OWN_MAIL', stranger, deliveryOf(circle.inbox), ''],
    ['BOUNCE', stranger, deliveryOf(''), ''],
    ['BOUNCE', stranger, deliveryOf('<>'), ''],
    ['BOUNCE', maya, deliveryOf(maya), 'X-Failed-Recipients: a@b.example'],
    ['AUTOMATIC_REPLY', clinic, deliveryOf(clinic), 'Auto-Submitted: auto-replied'],
    ['LIST_POST', clinic, deliveryOf(clinic), 'List-Post: <mailto:list@b.example>'],
  ] as const)('is %s', async (reason, from, delivery, header) => {
    const headers = header === '' ? [] : [header];
    expect(await judged(from, delivery, ...headers)).toEqual({ standing: 'ignored', reason });
  });

  it("does not include a clinic's automatic reminder", async () => {
    const headers = ['Auto-Submitted: auto-generated', 'List-Unsubscribe: <mailto:leave@b.example>'];
    expect(await judged(clinic, deliveryOf(clinic), ...headers)).toMatchObject({ standing: 'contact' });
  });
});

describe('an answer to a notice', () => {
  const id = `<${'0a'.repeat(16)}@${circle.senders.notices.split('@')[1]}>`;
  const ours = [`In-Reply-To: ${id}`, `References: <other@x.example>\r\n ${id}`] as const;

  it.each(ours)('of a verified person decides nothing, and she is told: %j', async (header) => {
    expect(await judged(maya, deliveryOf(maya), header)).toEqual({
      standing: 'ignored',
      reason: 'REPLY_TO_NOTICE',
      sender: { list: 'people', id: 'maya' },
    });
  });

  it.each([
    [
      'somebody who could not be verified',
      maya,
      deliveryOf(stranger, { dmarc: 'FAIL' }),
      'SENDER_UNVERIFIED',
    ],
    ['a stranger', stranger, deliveryOf(stranger), 'SENDER_UNKNOWN'],
    ['a contact', clinic, deliveryOf(clinic), 'CONTACT_VERIFIED'],
  ] as const)('of %s is a mail like any other', async (_who, from, delivery, reason) => {
    expect(await judged(from, delivery, ours[0])).toMatchObject({ reason });
  });

  it.each([
    ['another mail', 'In-Reply-To: <abc@family.example>'],
    ['a mail of that form from elsewhere', `In-Reply-To: <${'0a'.repeat(16)}@elsewhere.example>`],
    ['a letter of ours, whose ids have another form', `In-Reply-To: <${'g'.repeat(22)}@inbox.example>`],
  ])('is none where it answers %s', async (_what, header) => {
    expect(await judged(maya, deliveryOf(maya), header)).toMatchObject({ reason: 'PERSON_VERIFIED' });
  });

  it('that hands something in is read', async () => {
    const raw = rawMail(
      `From: ${maya}`,
      ours[0],
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      ...['', '--b', 'Content-Type: text/plain', '', 'Here it is.'],
      ...[
        '--b',
        'Content-Type: application/pdf',
        'Content-Disposition: attachment; filename=a.pdf',
        '',
        '%PDF-1.4',
      ],
      ...['--b--', ''],
    );
    expect(judge(await parseMessage(raw), deliveryOf(maya), circle)).toMatchObject({
      reason: 'PERSON_VERIFIED',
    });
  });
});

describe('anyone else', () => {
  it('is quarantined, however well verified', async () => {
    expect(await judged(stranger, deliveryOf(stranger))).toEqual({
      standing: 'quarantined',
      reason: 'SENDER_UNKNOWN',
    });
    const nobody = judge(await parseMessage(rawMail('Subject: x', '', 'x')), deliveryOf(stranger), circle);
    expect(nobody).toEqual({ standing: 'quarantined', reason: 'SENDER_UNKNOWN' });
  });
});
