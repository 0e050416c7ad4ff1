import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeFileName } from '../../lib/mail/filename.ts';

describe('safeFileName', () => {
  it.each([
    ['../../etc/x.pdf', 'x.pdf'],
    ['C:\\Users\\rosa\\letter.pdf', 'letter.pdf'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['a\u0000b\r\nc.pdf', 'ab c.pdf'],
    ['.hidden', 'hidden'],
    ['con.pdf', '_con.pdf'],
    ['what?<is>"this".pdf', 'what__is__this_.pdf'],
    ['  Brief   an\u200b Rosa .pdf ', 'Brief an Rosa .pdf'],
  ])('makes %j into %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  it.each(['', '...', '../..', '\u200b', '/'])('is nothing for %j', (name) => {
    expect(safeFileName(name)).toBeUndefined();
  });

  it('keeps the extension of a long name', () => {
    const safe = safeFileName(`${'é'.repeat(300)}.pdf`);
    expect(safe).toHaveLength(100);
    expect(safe?.endsWith('é.pdf')).toBe(true);
  });

  it('never has a path, a control character or more than 100 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const safe = safeFileName(name) ?? 'none';
        expect(safe).not.toMatch(/[/\\\p{Cc}\p{Cf}]|^\.|[\s.]$|^$/u);
        expect(safe.length).toBeLessThanOrEqual(100);
        expect(safe.isWellFormed()).toBe(true);
      }),
    );
  });
});
