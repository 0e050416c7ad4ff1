import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, SortedKeys } from '../../../lib/local/endpoints/s3-order.ts';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const text = fc.string({ unit: 'binary', maxLength: 6 });

describe('the order of keys', () => {
  it('is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, text, (common, a, b) => {
        expect(Math.sign(compareKeys(common + a, common + b))).toBe(byBytes(common + a, common + b));
      }),
    );
  });

  it('is kept, each key once, in whatever order keys are added', () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(text), (before, added) => {
        const keys = SortedKeys.of(new Set(before));
        for (const key of added) keys.add(key);
        const listed = Array.from({ length: keys.length }, (_, index) => keys.at(index));
        expect(listed).toEqual([...new Set([...before, ...added])].sort(byBytes));
      }),
    );
  });

  it('finds the first key from which on something holds', () => {
    const keys = SortedKeys.of(['d', 'b', 'a', 'c']);
    expect(keys.first((key) => key >= 'b')).toBe(1);
    expect(keys.first(() => true)).toBe(0);
    expect(keys.first(() => false)).toBe(4);
    expect(keys.at(4)).toBeUndefined();
  });
});
