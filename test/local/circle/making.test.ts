import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { circleText, currencyOf, idFor } from '../../../lib/local/circle/making.ts';
import { parseCircle } from '../../../lib/provenance/circle.ts';

const answers = {
  patient: 'Rosa Winterbourne',
  owners: [{ name: 'Maya', email: 'maya@home.example' }],
  inbox: 'care@home.example',
  timezone: 'Europe/London',
  locale: 'en-GB',
  contacts: [{ name: 'Hillside Clinic', email: 'info@hillside.example' }],
};

describe('the file of a new circle', () => {
  it('is a circle that trusts exactly what was answered', () => {
    const circle = parseCircle(circleText(answers), 'circle.yaml');
    expect(circle).toMatchObject({
      id: 'rosa-winterbourne-household',
      patient: { name: 'Rosa Winterbourne' },
      currency: 'GBP',
      inbox: 'care@home.example',
      people: [{ id: 'maya', email: 'maya@home.example', roles: ['owner', 'caregiver'] }],
      contacts: [{ id: 'hillside-clinic', email: 'info@hillside.example' }],
      grants: [],
    });
  });

  it('is a circle without contacts too, and says beside each list what it is for', () => {
    const text = circleText({ ...answers, contacts: [] });
    expect(parseCircle(text, 'circle.yaml').contacts).toEqual([]);
    expect(text).toContain('# Who may be written to');
  });

  it('keeps every name as it was written, whatever stands in it', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => {
      const [trimmed, length] = [text.trim(), text.trim().length];
      return length > 0 && length <= 120 && trimmed === text && trimmed.isWellFormed();
    });
    fc.assert(
      fc.property(name, name, (patient, contact) => {
        const contacts = [{ name: contact, email: 'a@b.example' }];
        const circle = parseCircle(circleText({ ...answers, patient, contacts }), 'circle.yaml');
        expect([circle.patient.name, circle.contacts[0]?.name]).toEqual([patient, contact]);
      }),
    );
  });
});

describe('an id', () => {
  it.each([
    ['Praxis Dr. Weiß', 'praxis-dr-weiss'],
    ['Søren Ærø', 'soren-aero'],
    ['María José Núñez', 'maria-jose-nunez'],
    ['山田', 'contact'],
  ])('for %s is %s', (name, id) => {
    expect(idFor(name, [], 'contact')).toBe(id);
  });

  it('that is taken gets a number', () => {
    expect(idFor('Tom', ['tom', 'tom-2'], 'person')).toBe('tom-3');
  });
});

it('a currency is that of the country, and never guessed', () => {
  expect(['en-GB', 'de-AT', 'en-US'].map(currencyOf)).toEqual(['GBP', 'EUR', 'USD']);
  expect(() => currencyOf('xx-QQ')).toFailWithCode('INVALID_INPUT');
});
