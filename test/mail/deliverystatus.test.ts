import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDeliveryStatus } from '../../lib/mail/deliverystatus.ts';

const lines = (...all: string[]): Buffer => Buffer.from(all.join('\r\n'));
const returned = ['Content-Type: text/rfc822-headers', '', 'Subject: x', 'Message-ID:', ' <a1@home.example>'];

function report(...status: string[]): Buffer {
  return lines(
    'From: MAILER-DAEMON@smtp.example',
    'Content-Type: multipart/report; report-type="delivery-status"; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; smtp.example',
    '',
    ...status,
    '',
    '--b',
    ...returned,
    '--b--',
    '',
  );
}

describe('a delivery status', () => {
  it('says what failed, with its code and the Message-ID of the lost mail', async () => {
    expect(await readDeliveryStatus(report('ACTION: Failed', 'Status: 5.7.1 (blocked)'))).toEqual({
      action: 'failed',
      status: '5.7.1',
      messageIds: ['<a1@home.example>'],
    });
  });

  it('that failed for one recipient and is late for another failed', async () => {
    const both = ['Action: delayed', 'Status: 4.2.2', '', 'Action: failed', 'Status: 5.1.1'];
    expect(await readDeliveryStatus(report(...both))).toMatchObject({ action: 'failed', status: '5.1.1' });
    expect(await readDeliveryStatus(report('Action: delayed'))).toMatchObject({ action: 'delayed' });
  });

  it.each(['delivered', 'relayed', 'expanded', 'odd'])('of a mail that was %s is none', async (action) => {
    expect(await readDeliveryStatus(report(`Action: ${action}`))).toBeUndefined();
  });

  it('takes no code that is not one', async () => {
    const found = await readDeliveryStatus(report('Action: failed', 'Status: <b>5</b>'));
    expect(found).toEqual({ action: 'failed', status: undefined, messageIds: ['<a1@home.example>'] });
  });

  it('is found in a bounce that only people can read, where its headers call it one', async () => {
    const text = ['Content-Type: text/plain', '', 'No such user.', '', 'Message-ID: <b2@home.example>', ''];
    const bounce = lines('X-Failed-Recipients: info@clinic.example', ...text);
    expect(await readDeliveryStatus(bounce)).toMatchObject({
      action: 'failed',
      messageIds: ['<b2@home.example>'],
    });
    expect(await readDeliveryStatus(lines('From: a@clinic.example', ...text))).toBeUndefined();
  });

  it('that names no mail is none', async () => {
    expect(
      await readDeliveryStatus(lines('X-Failed-Recipients: a@b.example', '', 'gone', '')),
    ).toBeUndefined();
  });

  it('never fails on what a stranger writes there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { maxLength: 8 }), async (status) => {
        const found = await readDeliveryStatus(report(...status, 'Action: failed'));
        expect(found?.messageIds.length ?? 0).toBeLessThanOrEqual(10);
      }),
      { numRuns: 50 },
    );
  });
});
