import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldConfusables } from '../../lib/policy/confusables.ts';
import { normalForms } from '../../lib/policy/normalisation.ts';

describe('normalised text', () => {
  it.each([
    ['case', 'PassWord', 'password'],
    ['doubled spaces and tabs', 'skip \t  audit', 'skip audit'],
    ['zero-width characters', 'pass\u200bw\u200co\u200dr\u2060d\ufeff', 'password'],
    ['bidirectional marks', 'pass\u202ewo\u2066rd\u200f', 'password'],
    ['soft hyphens', 'pass\u00adword', 'password'],
    ['variation selectors', 'pass\ufe0fword\u{e0100}', 'password'],
    ['tag characters', 'pass\u{e0061}word', 'password'],
    ['invisible fillers', 'pass\u3164word\u115f', 'password'],
    ['full-width letters', 'ｐａｓｓｗｏｒｄ', 'password'],
    ['mathematical letters', '𝐩𝒂𝓼𝔰𝕨𝗼𝘳𝚍', 'password'],
    ['circled letters', 'ⓟⓐⓢⓢⓦⓞⓡⓓ', 'password'],
    ['ligatures', 'ﬁle', 'file'],
    ['no-break and ideographic spaces', 'skip\u00a0\u3000audit', 'skip audit'],
    ['accents', 'pàsswörd', 'password'],
    ['stacked accents', 'p\u0301\u0302assword', 'password'],
    ['Cyrillic look-alikes', 'раѕѕԝоrԁ', 'password'],
    ['Cyrillic capitals', 'РАЅЅWОRD', 'password'],
    ['Greek look-alikes', 'ρασσωορδ'.slice(0, 2), 'pa'],
    ['dashes', 'self–approve—now', 'self-approve-now'],
    ['the Kelvin sign', '\u212aey', 'key'],
    ['a sharp s', 'Straße', 'strasse'],
    ['a dotless i', 'ıgnore', 'ignore'],
  ])('undoes %s', (_, text, normal) => {
    expect(normalForms(text)).toContain(normal);
  });

  it('keeps lines apart', () => {
    expect(normalForms('to: a\nbody: b')).toEqual(['to: a\nbody: b']);
  });

  it('keeps what is not to be confused', () => {
    expect(normalForms('日本語 العربية')).toEqual(['日本語 العربية'.normalize('NFKC')]);
  });

  it('has two forms where a capital looks like another letter than its small form', () => {
    expect(normalForms('Наppy нose')).toEqual(expect.arrayContaining([expect.stringContaining('happy')]));
  });

  it('of a text is normalised already', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const forms = normalForms(text);
        for (const form of forms) expect(normalForms(form)).toContain(form);
      }),
      { numRuns: 2000 },
    );
  });

  it('of capitals and of small letters have a form in common', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abcxyzабвгнпртуαβγηρς -_'), maxLength: 12 }),
        (text) => {
          const small = normalForms(text.toLowerCase());
          expect(normalForms(text.toUpperCase()).some((form) => small.includes(form))).toBe(true);
        },
      ),
    );
  });
});

describe('look-alikes', () => {
  it('fold into ASCII, and ASCII into itself', () => {
    const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    expect(foldConfusables(ascii)).toBe(ascii);
    expect(foldConfusables('аеорсухіѕԁ')).toBe('aeopcyxisd');
  });
});
