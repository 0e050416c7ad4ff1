import { describe, expect, it } from 'vitest';
import { itemJsonSchema, itemSchema } from '../../lib/proposal/items.ts';

describe('a household item', () => {
  it.each([
    {
      kind: 'appliance',
      name: 'Washing machine',
      purchased: '2027-01-04',
      warrantyMonths: 24,
      amount: 38900,
      currency: 'GBP',
    },
    { kind: 'transaction', name: 'Repair', paid: '2027-01-04', amount: -500, currency: 'EUR' },
    { kind: 'subscription', name: 'Music', every: 'month', trialEnds: '2027-01-31' },
    { kind: 'utility_bill', name: 'Power', from: '2026-12-01', until: '2026-12-31', due: '2027-01-15' },
  ])('of each kind is taken with what the document states: $kind', (item) => {
    expect(itemSchema.parse(item)).toEqual(item);
  });

  it.each([
    ['a name of blanks', { kind: 'transaction', name: ' ' }],
    ['a currency without amount', { kind: 'transaction', name: 'x', currency: 'EUR' }],
    ['a currency in small letters', { kind: 'transaction', name: 'x', amount: 1, currency: 'eur' }],
    ['a date in words', { kind: 'utility_bill', name: 'x', due: 'soon' }],
    ['a warranty of no months', { kind: 'appliance', name: 'x', warrantyMonths: 0 }],
    ['a nested value', { kind: 'appliance', name: { first: 'x' } }],
  ])('with %s is refused', (_, item) => {
    expect(itemSchema.safeParse(item).success).toBe(false);
  });

  it('is described with every field that any kind can have, and no other', () => {
    const fields = itemSchema.options.flatMap((option) => Object.keys(option.shape));
    expect(Object.keys(itemJsonSchema.properties).sort()).toEqual([...new Set(fields)].sort());
  });
});
