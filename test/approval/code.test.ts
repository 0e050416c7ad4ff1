import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codeHash, matchingHash, newCode, newSalt, parseCode } from '../../lib/approval/code.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { seededRandomness } from '../support/time.ts';

it('gives six digits, leading zeros included', () => {
  const codes = Array.from({ length: 2000 }, (_, seed) => newCode(seededRandomness(seed + 1)));
  expect(codes.every((code) => /^\d{6}$/.test(code))).toBe(true);
  expect(codes.some((code) => code.startsWith('0'))).toBe(true);
});

it('reads a code however a person spaces it', () => {
  for (const typed of ['482913', ' 482 913 ', '482-913', '48 29 13', '482\u00a0913']) {
    expect(parseCode(typed)).toBe('482913');
  }
});

it('calls malformed what is not six digits', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/^\d{6}$/.test(text.replace(/[\s\u00a0-]/g, ''))),
      (text) => {
        expect(() => parseCode(text)).toFailWithCode('INVALID_INPUT');
      },
    ),
  );
});

it('matches a code with its own hash alone', () => {
  const salt = newSalt(systemRandomness);
  const hashes = ['111111', '222222'].map((code) => codeHash(code, salt));
  expect(matchingHash('222222', salt, hashes)).toBe(hashes[1]);
  expect(matchingHash('333333', salt, hashes)).toBeUndefined();
  expect(matchingHash('222222', newSalt(systemRandomness), hashes)).toBeUndefined();
  expect(matchingHash('222222', salt, ['short'])).toBeUndefined();
});
