import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import type { Message } from '../../lib/mail/types.ts';
import { mailOf, pdfOf } from '../support/letters.ts';
import { rawMail } from '../support/maildelivery.ts';

const full = process.env.CAREGATE_FULL !== undefined;
const runs = full ? 1500 : 60;
vi.setConfig({ testTimeout: full ? 600_000 : 60_000 });

/** The message, or the code under which its bytes were refused. Anything else that is thrown fails the test. */
async function outcome(raw: Uint8Array): Promise<Message | string> {
  try {
    return await parseMessage(raw);
  } catch (error) {
    if (isCaregateError(error)) return error.code;
    throw error;
  }
}

async function sample(): Promise<Uint8Array> {
  return mailOf({
    from: 'Maya <maya@family.example>',
    to: 'care@inbox.example',
    subject: 'Fwd: Ihr Termin, Röntgen',
    text: 'Your review is on Thursday 4 March 2027 at 10:30am.',
    html: '<p>Your review is on <b>Thursday 4 March 2027</b> at 10:30am.</p>',
    attachments: [
      { filename: 'letter.pdf', contentType: 'application/pdf', content: await pdfOf([['Dear Rosa']]) },
      { filename: 'mail.eml', contentType: 'message/rfc822', content: rawMail('From: a@b.example', '', 'x') },
    ],
  });
}

describe('any bytes', () => {
  it('are a message or an error with a code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expect(await outcome(bytes)).toBeDefined();
      }),
      { numRuns: runs },
    );
  });

  it('behind a header are a message or an error with a code', async () => {
    const header = fc.constantFrom(
      'text/plain',
      'text/html',
      'multipart/mixed; boundary=b',
      'message/rfc822',
      'x',
    );
    const encoding = fc.constantFrom('base64', 'quoted-printable', 'x-uuencode', '8bit', '');
    await fc.assert(
      fc.asyncProperty(header, encoding, fc.uint8Array({ maxLength: 300 }), async (type, how, body) => {
        const head = rawMail(
          'From: a@b.example',
          `Content-Type: ${type}`,
          `Content-Transfer-Encoding: ${how}`,
          '',
          '--b',
          '',
        );
        expect(typeof (await outcome(Buffer.concat([head, body])))).toBe('object');
      }),
      { numRuns: runs },
    );
  });
});

describe('a mail that was damaged on the way', () => {
  it('cut anywhere behind its first field, is still a message', async () => {
    const raw = await sample();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 40, max: raw.length }), async (length) => {
        expect(typeof (await outcome(raw.subarray(0, length)))).toBe('object');
      }),
      { numRuns: runs },
    );
  });

  it('cut where a part has its boundary and nothing else, is a message with a text that is empty', async () => {
    const cut = rawMail('From: a@b.example', 'Content-Type: multipart/mixed; boundary=b', '', '--b', '');
    expect((await parseMessage(cut)).parts).toMatchObject([{ contentType: 'text/plain', text: '' }]);
  });

  it.each([
    ['of which nothing else is there', ''],
    ['whose parts have another boundary', '--a\r\n\r\nDear Rosa'],
  ])('%s, is a message with all that stands behind its header', async (_, body) => {
    const raw = rawMail('From: a@b.example', 'Content-Type: multipart/mixed; boundary=b', '', body);
    expect((await parseMessage(raw)).parts).toMatchObject([{ path: '1', role: 'text', text: body }]);
  });

  it('with flipped bits is a message or an error with a code', async () => {
    const raw = await sample();
    const flips = fc.array(fc.tuple(fc.nat(raw.length - 1), fc.integer({ min: 0, max: 7 })), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(flips, async (places) => {
        const damaged = Uint8Array.from(raw);
        for (const [at, bit] of places) damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        expect(await outcome(damaged)).toBeDefined();
      }),
      { numRuns: runs },
    );
  });

  it('twice in a row is a message that has lost none of the first', async () => {
    const raw = await sample();
    const [once, twice] = [await parseMessage(raw), await parseMessage(Buffer.concat([raw, raw]))];
    expect(twice.parts.map((part) => part.contentType)).toEqual(once.parts.map((part) => part.contentType));
  });
});
