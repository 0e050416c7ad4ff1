import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountsOf } from '../../lib/evidence/amounts.ts';
import { isNhsNumber } from '../../lib/evidence/numbers.ts';
import { particularsOf } from '../../lib/evidence/particulars.ts';
import { circle, circleIn, pageOf, valuesOf } from '../support/reading.ts';

const read = (text: string, kind: Parameters<typeof valuesOf>[1], where = circle) =>
  valuesOf(particularsOf(pageOf(text), where), kind);

describe('an amount', () => {
  it.each([
    ['£129.99', 'GBP 12999'],
    ['GBP 1,299.00', 'GBP 129900'],
    ['€1,399', 'EUR 139900'],
    ['€1.399', 'EUR 139900'],
    ['1.299,50 €', 'EUR 129950'],
    ['1 299,00 EUR', 'EUR 129900'],
    ['CHF 1’250.50', 'CHF 125050'],
    ['£5', 'GBP 500'],
    ['£5.5', 'GBP 550'],
    ['¥1,200', 'JPY 1200'],
    ['JPY 1200', 'JPY 1200'],
    ['US$20.00', 'USD 2000'],
    ['A$20.00', 'AUD 2000'],
    ['$20.00', 'USD 2000'],
  ])('%s is %s', (text, value) => {
    expect(amountsOf(`Total ${text} paid`, 'GBP').map((each) => each.value)).toEqual([value]);
  });

  it('in dollars is in those of the circle', () => {
    expect(amountsOf('$20.00', 'CAD')[0]?.value).toBe('CAD 2000');
  });

  it.each(['20 %', 'Room 5', '£', 'VAT GB 000 0000 00', '¥1.50', '10.30', 'model EUR5X'])(
    'is not read in %j',
    (text) => {
      expect(amountsOf(text, 'GBP')).toEqual([]);
    },
  );

  it('keeps its value however it is written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.constantFrom('en-GB', 'de-DE', 'fr-FR', 'de-CH'),
        (units, locale) => {
          const written = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(
            units / 100,
          );
          expect(amountsOf(`Summe: ${written}`, 'GBP').map((each) => each.value)).toEqual([`EUR ${units}`]);
        },
      ),
    );
  });
});

describe('an NHS number', () => {
  it('is one by its check digit', () => {
    expect(isNhsNumber('9434765919')).toBe(true);
    expect(isNhsNumber('9434765918')).toBe(false);
    expect(isNhsNumber('1111111111')).toBe(false);
    expect(isNhsNumber('943476591')).toBe(false);
  });

  it('has at most one check digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000_000, max: 999_999_999 }), (stem) => {
        const valid = Array.from({ length: 10 }, (_, digit) => isNhsNumber(`${stem}${digit}`)).filter(
          Boolean,
        );
        expect(valid.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is read where the letter calls it one, and is no phone number then', () => {
    const text = 'NHS No: 943 476 5919, Telephone 01632 960 114';
    expect(read(text, 'identifier')).toEqual(['NHS 9434765919']);
    expect(read(text, 'phone_number')).toEqual(['+441632960114']);
    expect(read('Code 943 476 5919', 'identifier')).toEqual([]);
  });
});

describe('other particulars', () => {
  it('are references that are labelled', () => {
    const text =
      'Our reference: NC/204817\nOrder no. BW-771904\nReceipt: R.55.1\nBooking ref: none\nRef soon';
    expect(read(text, 'identifier')).toEqual(['NC/204817']);
    expect(read(text, 'order_number')).toEqual(['BW-771904']);
    expect(read(text, 'receipt_number')).toEqual(['R.55.1']);
  });

  it('are mail addresses, in the form in which they are compared', () => {
    expect(read('Write to Records@Clinic.Example. Or to x@y, or @clinic.', 'email_address')).toEqual([
      'records@clinic.example',
    ]);
  });

  it('are phone numbers in international form, by the country of the circle', () => {
    expect(read('Ring 01632 960 114 or +49 30 901820, not 000 0000 000', 'phone_number')).toEqual([
      '+441632960114',
      '+4930901820',
    ]);
    expect(read('Tel. 030 901820', 'phone_number', circleIn('de-DE', 'Europe/Berlin'))).toEqual([
      '+4930901820',
    ]);
    expect(read('Ring 01632 960 114', 'phone_number', circleIn('en-ZZ', 'Europe/London'))).toEqual([
      '+441632960114',
    ]);
  });

  it('are people with a title, and organisations with a label', () => {
    const text = 'Clinic: Northgate Cardiology\nYou will see Dr Amara Singh, not Dr Amara Singh’s sister.';
    expect(read(text, 'person')[0]).toBe('Dr Amara Singh');
    expect(read(text, 'organisation')).toEqual(['Northgate Cardiology']);
  });

  it('are never checked: that they are well formed says nothing about whose they are', () => {
    const facts = particularsOf(
      pageOf('Dr Lee, NHS 943 476 5919, £5, a@b.example, 01632 960 114\nClinic: X Ray'),
      circle,
    );
    expect(facts.length).toBeGreaterThanOrEqual(6);
    expect(facts.every((fact) => fact.trust === 'UNTRUSTED')).toBe(true);
  });
});
