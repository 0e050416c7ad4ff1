import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { fileName, prepareFiling } from '../../lib/effect/filing.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle, destination, filingCall, referral } from './calls.ts';
import { preparing } from './preparing.ts';

const digest = sha256(referral);

describe('the name of a filed document', () => {
  it('has date, title, digest and ending, so that a person finds it', () => {
    const name = fileName({ date: '2027-03-04', title: 'Referral letter', digest, original: 'Scan 1.PDF' });
    expect(name).toBe(`2027-03-04-referral-letter-${digest.slice(0, 12)}.pdf`);
  });

  it('takes the day of an instant as it was written, not as another zone sees it', () => {
    const name = fileName({ date: '2027-03-04T23:30:00-08:00', title: 'x', digest, original: 'a.pdf' });
    expect(name).toMatch(/^2027-03-04-/);
  });

  it('says so where there is no date, no title and no ending', () => {
    expect(fileName({ date: undefined, title: '…', digest, original: 'letter' })).toBe(
      `undated-document-${digest.slice(0, 12)}.bin`,
    );
  });

  it('keeps the letters of other scripts', () => {
    const name = fileName({ date: undefined, title: 'Überweisung 体检', digest, original: 'a.pdf' });
    expect(name).toContain('-überweisung-体检-');
  });

  it('never leaves its folder and never outgrows a file system, whatever a mail calls it', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(text, text, text, (date, title, original) => {
        const name = fileName({ date, title, digest, original });
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}-]+\.[a-z0-9]{1,8}$/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
      }),
    );
  });
});

describe('filing a document', () => {
  it('writes the very bytes of the document under the folder of the circle', async () => {
    const { key, bytes } = await prepareFiling(filingCall(), preparing());
    expect(key.startsWith(layout.folder(circle.id, 'referrals'))).toBe(true);
    expect(sha256(bytes)).toBe(digest);
  });

  it('refuses bytes that are not the ones that were decided on', async () => {
    const context = preparing({ document: async () => new Uint8Array([1]) });
    await expect(prepareFiling(filingCall(), context)).toFailWithCode('DIGEST_MISMATCH');
  });

  it.each([
    ['an entry that did not come out of the circle', { ...destination('folders', 'referrals').entry }],
    ['an entry of another list', destination('calendars', 'family').entry],
  ])('refuses %s', async (_, entry) => {
    const call = filingCall();
    const forged = {
      ...call,
      arguments: { ...call.arguments, folder: { class: 'DESTINATION', entry, trust: 'TRUSTED' } as const },
    };
    await expect(prepareFiling(forged, preparing())).toFailWithCode('CALL_UNRESOLVED');
  });

  it('refuses a literal destination, no document and several documents', async () => {
    const call = filingCall();
    const literal = { class: 'DESTINATION', literal: 'elsewhere', trust: 'UNTRUSTED' } as const;
    const none = { class: 'VALUE', documents: [], trust: 'UNTRUSTED' } as const;
    const two = { ...none, documents: [1, 2].map(() => ({ digest, name: 'a.pdf' })) };
    for (const changed of [{ folder: literal }, { document: none }, { document: two }, { title: two }]) {
      const broken = { ...call, arguments: { ...call.arguments, ...changed } };
      await expect(prepareFiling(broken, preparing())).toFailWithCode('CALL_UNRESOLVED');
    }
    const { title: _, ...untitled } = call.arguments;
    await expect(prepareFiling({ ...call, arguments: untitled }, preparing())).toFailWithCode(
      'CALL_UNRESOLVED',
    );
  });
});
