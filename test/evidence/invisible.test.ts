import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeClaim } from '../../lib/evidence/claims.ts';
import { invisibleTexts } from '../../lib/evidence/invisible.ts';
import { readingOf } from '../../lib/evidence/pages.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle, clock } from '../support/reading.ts';

const tagged = (text: string): string =>
  [...text].map((each) => String.fromCodePoint(0xe0000 + (each.codePointAt(0) ?? 0))).join('');
const selected = (text: string): string =>
  [...new TextEncoder().encode(text)]
    .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
    .join('');

describe('what is written in invisible characters', () => {
  it('is read, whatever it says', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{1,40}$/), (words) => {
        expect(invisibleTexts(`Dear${tagged(words)} Rosa`)).toEqual([words]);
      }),
    );
    expect(invisibleTexts(`a${selected('pay mallory')}b`)).toEqual(['pay mallory']);
  });

  it('is named where it is no text', () => {
    expect(invisibleTexts(`a${'\u200b\u200c'.repeat(8)}b`)).toEqual([
      Array(8).fill('U+200B U+200C').join(' '),
    ]);
    expect(invisibleTexts(`a${'\ufe00'.repeat(4)}b`)).toEqual(['U+FE00 U+FE00 U+FE00 U+FE00']);
  });

  it('is words too that a person sees the other way around', () => {
    expect(invisibleTexts('pay \u202e55.00 yap\u202c now')).toEqual(['[turned around] 55.00 yap']);
  });

  it.each([
    ['the flag of Wales', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
    ['an emoji with its presentation', '❤\ufe0f and 👩\u200d👧'],
    ['soft hyphens and joiners in words', 'Versicherungs\u00adunternehmen می\u200cخواهم'],
    ['the filling behind a preview', '\u034f\u200c\u00a0'.repeat(100)],
    ['one kind of filling', '\u200c'.repeat(100)],
    ['marks of Hebrew and Arabic', '\u200fשלום\u200e and \u2068Rosa\u2069'],
    ['a turn that turns nothing', '\u202e\u202c'],
    ['blank tags', '\u{e0020}\u{e0020}'],
  ])('is nothing in %s', (_, text) => {
    expect(invisibleTexts(text)).toEqual([]);
  });

  it('leaves the words around it whole, so that a quote of them is found', () => {
    const { pages, hidden } = readingOf([`Call Dr Si\u200bngh on Mon\u2060day.${tagged('ask mallory')}`]);
    expect(hidden).toEqual(['ask mallory']);
    const document = {
      id: sha256('x'),
      alias: 'd1',
      kind: 'text',
      name: 'x',
      contentType: 'text/plain',
      size: 1,
      pages,
    } as const;
    const claim = {
      kind: 'person',
      value: 'Dr Singh',
      quote: 'Call Dr Singh on Monday',
      document: 'd1',
      page: 1,
    } as const;
    const judged = judgeClaim(claim, { documents: [document], facts: [], circle, now: clock.now() });
    expect(judged).toMatchObject({ fact: { value: 'Dr Singh', trust: 'UNTRUSTED' } });
  });

  it('is bounded, and takes no time that grows faster than the text', () => {
    expect(invisibleTexts(`${tagged('x')} `.repeat(1000))).toHaveLength(50);
    expect(invisibleTexts(tagged('x'.repeat(500_000)))[0]).toHaveLength(10_000);
    expect(invisibleTexts('\u202e'.repeat(500_000))).toEqual([]);
  });
});
