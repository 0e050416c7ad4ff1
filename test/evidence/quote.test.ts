import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteForPeople } from '../../lib/evidence/quote.ts';

describe('quoteForPeople takes out', () => {
  it.each([
    'https://evil.example/pay?x=1', 'HTTP://EVIL.EXAMPLE', 'www.evil.example', 'evil.example', 'evil.example/path', 'evil.co.uk',
    'mailto:x', 'tel:0123', 'javascript:alert(1)', 'evil[.]example', 'evil (dot) example', 'ｅｖｉｌ．ｅｘａｍｐｌｅ', 'ev\u200bil.example',
    'xn--80ak6aa92e.com', 'evil.xn--p1ai', 'letter.pdf/../evil', 'еvil.example',
  ])('the link %j', (link) => {
    expect(quoteForPeople(`Go to ${link} now`)).toBe('Go to [link removed] now');
  }); // biome-ignore format: a table

  it.each([
    'pay@evil.example',
    'PAY@EVIL',
    'pay [at] evil [dot] example',
    'pay＠evil.example',
    '@evil',
    'pay@',
  ])('the address %j', (address) => {
    expect(quoteForPeople(`Write to ${address} now`)).toBe('Write to [address removed] now');
  });

  it.each([
    '01632 960 114', '+44 (0)1632 960-114', '(01632) 960114', '0800.123.4567', '٠١٦٣٢٩٦٠١١٤', '０１６３２９６０１１４', '0800-FLOWERS', '943 476 5919',
  ])('the number %j', (number) => {
    expect(quoteForPeople(`Please reach ${number} now`)).toBe('Please reach [number removed] now');
  }); // biome-ignore format: a table

  it.each(['118 118', '999', '1-1-2', '2027'])('the short number %j where it is to be called', (number) => {
    expect(quoteForPeople(`Please call us on ${number}`)).toBe('Please call us on [number removed]');
  });

  it('what cannot be seen, and quotation marks that would close ours', () => {
    expect(quoteForPeople('a\u202eb\u0000c\u200d “said” «so»\r\nnext')).toBe('abc "said" "so"\nnext');
  });
});

describe('quoteForPeople leaves', () => {
  it.each([
    'Thursday 4 March 2027 at 10:30am', '2027-03-04T10:30+00:00', '2027-03-04', '04/03/2027 10:30', '4.3.2027', '10:30-11:15',
    'Cardiology review with Dr. Singh, Room 3, Level 2', '£1,299.00', 'GBP 12999', '1.299,50 €', 'Appointment letter.pdf', 'e.g. this',
    '14 Priory Lane, Ashcombe ZX4 2QT', 'call before 4 March 2027', 'call 2027-03-04 10:30', 'Zoë’s visit', 'NC/204817',
  ])('%j as it is', (text) => {
    expect(quoteForPeople(text)).toBe(text);
  }); // biome-ignore format: a table
});

describe('quoteForPeople', () => {
  it('is bounded, and says when it cut', () => {
    expect(quoteForPeople('word '.repeat(5000))).toHaveLength(5000);
    expect(quoteForPeople('abcdef', 4)).toBe('abc…');
    expect(quoteForPeople('x@y '.repeat(100), 40).length).toBeLessThanOrEqual(40);
  });

  it('takes out what is a link only once the number behind it is gone', () => {
    expect(quoteForPeople('a.aa0.)0. 000)/0( 0')).not.toContain('a.aa');
  });

  // Format characters that everybody sees: they enclose or precede numbers.
  const signs = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/gu;

  it('leaves nothing that can be clicked or dialled in any text, and changes nothing the second time', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.webUrl(),
      fc.emailAddress(),
      fc.domain(),
      fc.stringMatching(/^\+?\d[\d ()/.-]{5,14}\d$/),
      fc.constantFrom('call ', ' tel ', '[at]', '(dot)', 'http', '://', 'www.', '@', '.', '[', ']', '\n'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const quoted = quoteForPeople(pieces.join(''));
        expect(quoted).not.toMatch(/@|:\/\/|\bwww\.|mailto:./i);
        expect(quoted.replace(signs, '')).not.toMatch(/[\p{Cf}]|[^\P{Cc}\t\n]/u);
        expect(quoted.length).toBeLessThanOrEqual(5000);
        expect(quoteForPeople(quoted)).toBe(quoted);
      }),
      { numRuns: 500 },
    );
  });

  it('takes time that grows with the text, not its square', () => {
    for (const piece of ['a', 'a.', '1 ', 'call ', '(', 'x@', '+', '[at]', '1-1-2027 ']) {
      expect(quoteForPeople(piece.repeat(200_000)).length).toBeLessThanOrEqual(5000);
    }
  });
});
