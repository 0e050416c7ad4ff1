import { describe, expect, it } from 'vitest';
import { sha256 } from '../../lib/provenance/digest.ts';
import { isMoment } from '../../lib/provenance/moment.ts';
import { atLeast, type Fact, promote, trustLevels, validatorNames } from '../../lib/provenance/trust.ts';

const source = { document: sha256('letter'), page: 1, quote: '4 March 2027' };
const fact: Fact<'UNTRUSTED'> = { id: 'f1', kind: 'date', value: '2027-03-04', source, trust: 'UNTRUSTED' };

describe('trust', () => {
  it('is ordered from UNTRUSTED over CONTROLLED to TRUSTED', () => {
    const order = trustLevels.map((trust) => trustLevels.filter((level) => atLeast(trust, level)));
    expect(order).toEqual([
      ['UNTRUSTED'],
      ['UNTRUSTED', 'CONTROLLED'],
      ['UNTRUSTED', 'CONTROLLED', 'TRUSTED'],
    ]);
  });

  it.each(validatorNames)('is raised to CONTROLLED by %s, which is named in the fact', (validator) => {
    expect(promote(fact, validator)).toEqual({ ...fact, trust: 'CONTROLLED', validator });
  });

  it('is not raised on the word of anything else', () => {
    expect(() => promote(fact, 'the-model' as 'certain-date')).toFailWithCode('TRUST_REFUSED');
    expect(() => promote(fact, undefined as unknown as 'certain-date')).toFailWithCode('TRUST_REFUSED');
  });

  it('is never raised from CONTROLLED, and TRUSTED is refused outright', () => {
    for (const trust of ['CONTROLLED', 'TRUSTED'] as const) {
      const raised = { ...fact, trust } as unknown as Fact<'UNTRUSTED'>;
      expect(() => promote(raised, 'certain-date')).toFailWithCode('TRUST_REFUSED');
    }
  });

  it('leaves the fact itself as it was', () => {
    promote(fact, 'certain-date');
    expect(fact.trust).toBe('UNTRUSTED');
  });
});

describe('a moment', () => {
  it.each([
    '2027-03-04',
    '2024-02-29',
    '2027-03-04T10:30Z',
    '2027-03-04T10:30:00+01:00',
    '2027-03-04T23:59:59.123-05:30',
  ])('is %s', (text) => {
    expect(isMoment(text)).toBe(true);
  });

  it.each([
    '2027-02-29',
    '2027-13-01',
    '2027-03-32',
    '2027-03-04T10:30',
    '2027-03-04T10:30:00',
    '2027-03-04T24:00Z',
    '2027-03-04T10:60Z',
    '2027-03-04T10:30:00+15:00',
    '2027-02-30T10:30Z',
    '2027-3-4',
    '04/03/2027',
    'Thursday',
    ' 2027-03-04',
    '2027-03-04\n',
    '',
  ])('is not %j', (text) => {
    expect(isMoment(text)).toBe(false);
  });
});
