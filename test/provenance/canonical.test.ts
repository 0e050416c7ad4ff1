import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../lib/provenance/canonical.ts';
import { base64Digest, digestOf, parseSha256, sha256 } from '../../lib/provenance/digest.ts';

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 code units, as RFC 8785 asks', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude02': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😂":5,"\ufb33":3}');
  });

  it('writes numbers as ECMAScript does', () => {
    const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0];
    expect(canonicalJson(numbers)).toBe('[333333333.3333333,1e+30,4.5,0.002,1e-27,0]');
  });

  it('leaves out what is undefined, and keeps null', () => {
    expect(canonicalJson({ a: undefined, b: null, c: [true, false] })).toBe('{"b":null,"c":[true,false]}');
  });

  it.each([
    ['a number that is none', Number.NaN],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a big integer', 10n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['nothing at all', undefined],
    ['a hole in a list', [1, undefined, 2]],
  ])('has no form for %s', (_, value) => {
    expect(() => canonicalJson(value)).toFailWithCode('CANONICAL_UNSUPPORTED');
  });

  it('means the same as the value, and does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reordered(value))).toBe(text);
      }),
    );
  });
});

describe('digests', () => {
  it('are SHA-256 in hexadecimal', () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256(new Uint8Array())).toBe(sha256(''));
    expect(digestOf({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'));
  });

  it('are read from outside only whole and in lower case', () => {
    const digest = sha256('letter');
    expect(parseSha256(digest)).toBe(digest);
    for (const text of [digest.toUpperCase(), digest.slice(1), `${digest}0`, `${digest}\n`, '']) {
      expect(() => parseSha256(text)).toFailWithCode('INVALID_INPUT');
    }
  });

  it('have the base64 form that S3 uses', () => {
    expect(base64Digest(sha256(''))).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
  });
});

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reordered(child)]),
  );
}
