import { describe, expect, it } from 'vitest';
import { isoTime, systemClock } from '../../lib/provenance/clock.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import {
  approvalIdPattern,
  type CircleId,
  caseIdOf,
  caseIdPattern,
} from '../../lib/provenance/identifiers.ts';
import { randomDigits, randomToken, systemRandomness } from '../../lib/provenance/randomness.ts';
import { ManualClock, seededRandomness } from '../support/time.ts';

const circle = 'example-household' as CircleId;
const message = sha256('a mail');

describe('the id of a case', () => {
  it('is the same for the same message of the same circle', () => {
    expect(caseIdOf(circle, message, true)).toBe(caseIdOf(circle, message, true));
    expect(caseIdOf(circle, message, true)).toMatch(caseIdPattern);
  });

  it('differs for another message, another circle, and a delivery that was not admitted', () => {
    const ids = [
      caseIdOf(circle, message, true),
      caseIdOf(circle, message, false),
      caseIdOf(circle, sha256('another mail'), true),
      caseIdOf('other-household' as CircleId, message, true),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.map((id) => id[0])).toEqual(['c', 'q', 'c', 'c']);
  });
});

describe('randomness', () => {
  it('gives tokens that fit an approval id', () => {
    expect(randomToken(seededRandomness(7))).toMatch(approvalIdPattern);
    expect(randomToken(systemRandomness)).not.toBe(randomToken(systemRandomness));
  });

  it('gives codes of exactly so many digits', () => {
    for (let seed = 1; seed < 50; seed += 1)
      expect(randomDigits(seededRandomness(seed), 6)).toMatch(/^\d{6}$/);
  });

  it('draws again what would make some digits likelier', () => {
    const draws = [
      [255, 250, 251, 3],
      [14, 25, 6, 7],
    ];
    const randomness = { bytes: () => Uint8Array.from(draws.shift() ?? []) };
    expect(randomDigits(randomness, 4)).toBe('3456');
  });
});

describe('a clock', () => {
  it('gives the time as an instant in UTC', () => {
    const clock = new ManualClock('2027-03-04T10:30:00+01:00');
    clock.advance(1);
    expect(isoTime(clock)).toBe('2027-03-04T09:30:00.001Z');
    expect(systemClock.now()).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
  });
});
