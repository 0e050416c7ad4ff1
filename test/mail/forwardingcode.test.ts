import { describe, expect, it } from 'vitest';
import { forwardingCodeIn } from '../../lib/mail/forwardingcode.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { judge } from '../../lib/mail/sender.ts';
import { loadCircle } from '../../lib/provenance/circle.ts';
import { deliveryOf, rawMail } from '../support/maildelivery.ts';

const circle = loadCircle('rules/circle.example.yaml');
const gmail = 'forwarding-noreply@google.com';
const subject = '(#123456789) Gmail Forwarding Confirmation - Receive Mail from maya@family.example';
const asked = (from: string, about: string, ...body: string[]) =>
  parseMessage(rawMail(`From: Gmail Team <${from}>`, `Subject: ${about}`, '', ...body));
const codeIn = async (from: string, about: string, ...body: string[]) =>
  forwardingCodeIn(await asked(from, about, ...body))?.code;

describe('the code by which Gmail has a forwarding address confirmed', () => {
  it('stands in the subject', async () => {
    expect(await codeIn(gmail, subject, 'maya@family.example has requested to forward.')).toBe('123456789');
    expect(await codeIn(gmail, '(Nr. 987654321) Gmail-Weiterleitung', 'x')).toBe('987654321');
  });

  it('or in the text', async () => {
    expect(await codeIn(gmail, 'Forwarding Confirmation', 'Confirmation code: 123456789')).toBe('123456789');
  });

  it.each([
    ['another sender', 'mallory@evil.example', subject, 'Confirmation code: 123456789'],
    ['two senders', `${gmail}>, Mallory <mallory@evil.example`, subject, 'x'],
    ['no code', gmail, 'Forwarding Confirmation', 'call 07700 900123'],
  ])('is none with %s', async (_, from, about, body) => {
    expect(await codeIn(from, about, body)).toBeUndefined();
  });
});

describe('a mail by which Gmail asks', () => {
  const judged = async (about: string, delivery = deliveryOf('bounce@google.com')) =>
    judge(await asked(gmail, about, 'x'), delivery, circle);

  it('for a mailbox of the circle is ignored, and known for what it is', async () => {
    expect(await judged(subject)).toEqual({
      standing: 'ignored',
      reason: 'FORWARDING_CONFIRMATION',
      sender: { list: 'people', id: 'maya' },
    });
    expect(await judged(subject, deliveryOf(''))).toMatchObject({ reason: 'FORWARDING_CONFIRMATION' });
  });

  it('for a mailbox of somebody else waits in quarantine', async () => {
    const other = subject.replace('maya@family.example', 'mallory@evil.example');
    expect(await judged(other)).toEqual({ standing: 'quarantined', reason: 'SENDER_UNKNOWN' });
  });

  it('and that Gmail did not write waits in quarantine', async () => {
    const forged = deliveryOf('mallory@evil.example', { dmarc: 'FAIL' });
    expect(await judged(subject, forged)).toMatchObject({ standing: 'quarantined' });
  });
});
