import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clippedText, clippedValue, fairShares } from '../../lib/model/clip.ts';

describe('a budget shared among texts', () => {
  it('leaves short ones whole and cuts the long ones alike', () => {
    expect(fairShares([100, 10, 1000], 210)).toEqual([100, 10, 100]);
    expect(fairShares([100, 10, 1000], 10_000)).toEqual([100, 10, 1000]);
    expect(fairShares([5, 5], 0)).toEqual([0, 0]);
    expect(fairShares([], 100)).toEqual([]);
  });

  it('is never exceeded, never leaves more than a unit a text unused, and gives no text more than it has', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 12 }), fc.nat(3000), (lengths, budget) => {
        const shares = fairShares(lengths, budget);
        const total = (list: readonly number[]) => list.reduce((sum, share) => sum + share, 0);
        expect(total(shares)).toBeLessThanOrEqual(budget);
        expect(total(shares)).toBeGreaterThanOrEqual(Math.min(total(lengths), budget) - lengths.length);
        shares.forEach((share, index) => {
          expect(share).toBeLessThanOrEqual(lengths[index] ?? 0);
        });
      }),
    );
  });
});

describe('a clipped text', () => {
  it('never ends in half a character', () => {
    expect(clippedText('ab😀', 3)).toBe('ab');
    expect(clippedText('ab😀', 4)).toBe('ab😀');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, longest) => {
        const clipped = clippedText(text, longest);
        expect(clipped.length).toBeLessThanOrEqual(longest);
        expect(text.startsWith(clipped)).toBe(true);
        expect(clipped.isWellFormed()).toBe(true);
      }),
    );
  });

  it('is cut wherever it stands in a value', () => {
    const value = { a: 'long text', b: ['long text', 7, null, { c: 'long text' }], d: true };
    expect(clippedValue(value, 4)).toEqual({ a: 'long', b: ['long', 7, null, { c: 'long' }], d: true });
  });
});
