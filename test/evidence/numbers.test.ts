import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { numbersIn } from '../../lib/evidence/numbers.ts';
import { parseCircle } from '../../lib/provenance/circle.ts';

const example = readFileSync('rules/circle.example.yaml', 'utf8');
const withPattern = (pattern: string): string =>
  `${example}\nidentifiers:\n  - { id: care-plan, name: Care plan, pattern: '${pattern}' }\n`;

describe("the circle's own patterns", () => {
  const circle = parseCircle(withPattern('CP-[0-9]{6}'), 'circle.yaml');

  it('name a number where they match', () => {
    const found = numbersIn('Your plan CP-204817 and CP-12 and Order no: CP-204818', circle);
    expect(found.map(({ kind, value }) => [kind, value])).toEqual([
      ['identifier', 'Care plan CP-204817'],
      ['identifier', 'Care plan CP-204818'],
    ]);
  });

  it.each(['(a', 'x*', '(?=a)b'])('are refused at load if they cannot be used: %s', (pattern) => {
    expect(() => parseCircle(withPattern(pattern), 'circle.yaml')).toFailWithCode('CONFIGURATION_INVALID');
  });

  it('cannot keep us busy, whatever they are', () => {
    const hostile = parseCircle(withPattern('(a+)+b'), 'circle.yaml');
    expect(numbersIn('a'.repeat(20_000), hostile)).toEqual([]);
  });
});

describe('numbers of orders, receipts and files', () => {
  it.each([
    ['Bestellnummer: BN-44812', 'order_number', 'BN-44812'],
    ['Pedido n.º 88213', 'order_number', '88213'],
    ['Commande n° 55-1', 'order_number', '55-1'],
    ['Rechnungsnr. 2027-118', 'receipt_number', '2027-118'],
    ['Facture n° F2027-9', 'receipt_number', 'F2027-9'],
    ['Aktenzeichen: PK-2027/3391', 'identifier', 'PK-2027/3391'],
    ['MRN: 00418823', 'identifier', '00418823'],
  ])('%s', (text, kind, value) => {
    expect(numbersIn(text, {}).map((each) => [each.kind, each.value])).toEqual([[kind, value]]);
  });

  it.each(['Order 3 tablets', 'Reference: 12/02/2027', 'NHS number: 943 476 5918', 'Invoice no: none'])(
    'are not read in %j',
    (text) => {
      expect(numbersIn(text, {})).toEqual([]);
    },
  );
});
