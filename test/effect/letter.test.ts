import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { largestEncodedLetter, prepareLetter } from '../../lib/effect/letter.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle, destination, letterCall, referral } from './calls.ts';
import { preparing } from './preparing.ts';

const seed = { attempt: 'attempt-1', createdAt: '2027-02-01T09:00:00.000Z' };
const address = 'records@hillside-clinic.example';
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const compose = (changes: Parameters<typeof letterCall>[0] = {}) =>
  prepareLetter(letterCall(changes), preparing(), seed);

describe('the MIME of a letter', () => {
  it('is the same, byte for byte, for the same call and intent', async () => {
    expect(text((await compose()).bytes)).toBe(text((await compose()).bytes));
  });

  it('comes from the circle and goes to the one contact, and says when', async () => {
    const mail = await simpleParser(Buffer.from((await compose()).bytes));
    expect(mail.from?.value).toEqual([{ address: circle.senders.letters, name: '' }]);
    expect([mail.to].flat().flatMap((to) => to?.value)).toEqual([{ address, name: '' }]);
    expect(mail.date?.toISOString()).toBe(seed.createdAt);
    expect(mail.messageId).toBe('<attempt-1@inbox.example>');
  });

  it('carries every byte of what is attached', async () => {
    const mail = await simpleParser(Buffer.from((await compose()).bytes));
    expect(mail.attachments.map(({ content }) => sha256(content))).toEqual([sha256(referral)]);
    expect(mail.attachments[0]?.filename).toBe('referral.pdf');
  });

  it('has no attachment where there is none', async () => {
    const mail = await simpleParser(Buffer.from((await compose({ attached: false })).bytes));
    expect(mail.attachments).toEqual([]);
    expect(mail.text?.trim()).toBe('Dear records office,\n\nplease find the form attached.');
  });

  it('has one recipient and no other header, whatever subject and body say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 80 }), async (tail) => {
        fc.pre(tail.isWellFormed());
        const hostile = `Records\r\nBcc: x@evil.example\nTo: x@evil.example\r\n\r\n${tail}`;
        const { bytes } = await compose({ subject: hostile, body: hostile });
        const mail = await simpleParser(Buffer.from(bytes));
        expect([mail.to].flat().flatMap((to) => to?.value.map((value) => value.address))).toEqual([address]);
        expect(mail.bcc).toBeUndefined();
        expect(mail.attachments).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });

  it('attaches a page of a stranger as bytes, not as a page', async () => {
    const call = letterCall();
    const attachments = {
      class: 'VALUE',
      documents: [{ digest: sha256(referral), name: 'x.html' }],
      trust: 'UNTRUSTED',
    } as const;
    const { bytes } = await prepareLetter(
      { ...call, arguments: { ...call.arguments, attachments } },
      preparing(),
      seed,
    );
    expect(text(bytes)).toContain('Content-Type: application/octet-stream; name=x.html');
  });

  it('is refused when SES would not take it, before anything was written', async () => {
    const large = Buffer.alloc(largestEncodedLetter * 0.6);
    const call = letterCall();
    const attachments = {
      class: 'VALUE',
      documents: [{ digest: sha256(large), name: 'x.pdf' }],
      trust: 'UNTRUSTED',
    } as const;
    const context = preparing({ document: async () => large });
    const letter = { ...call, arguments: { ...call.arguments, attachments } };
    await expect(prepareLetter(letter, context, seed)).toFailWithCode('LETTER_TOO_LARGE');
  });

  it('is refused for an entry that has no address or is no contact', async () => {
    const call = letterCall();
    for (const to of [destination('people', 'tom'), destination('folders', 'letters')]) {
      const letter = { ...call, arguments: { ...call.arguments, to } };
      await expect(prepareLetter(letter, preparing(), seed)).toFailWithCode('CALL_UNRESOLVED');
    }
  });
});
