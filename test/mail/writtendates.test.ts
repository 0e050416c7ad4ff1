import { describe, expect, it } from 'vitest';
import { writtenDate } from '../../lib/mail/writtendates.ts';

describe('the date above a forwarded mail', () => {
  it.each([
    ['Wed, 3 Nov 2021 15:51:30 +0100', '2021-11-03T15:51+01:00'],
    ['2027-01-04 09:12', '2027-01-04T09:12'],
    ['04.01.2027 09:12', '2027-01-04T09:12'],
    ['04.01.2027 09.12 Uhr', '2027-01-04T09:12'],
    ['25/01/2027, 09:12', '2027-01-25T09:12'],
    ['1/25/2027 9:12 PM', '2027-01-25T21:12'],
    ['4/4/2027', '2027-04-04'],
    ['Monday, January 4, 2027 12:05 AM', '2027-01-04T00:05'],
    ['4 de fevereiro de 2027 às 09:12', '2027-02-04T09:12'],
    ['jeudi 4 août 2027 à 9h12', '2027-08-04T09:12'],
    ['lunes, 4 de enero de 2027 9:12 p. m.', '2027-01-04T21:12'],
    ['4 Jan 2027 09:12 UTC', '2027-01-04T09:12+00:00'],
    ['4 Jan 2027 09:12 GMT+05:30', '2027-01-04T09:12+05:30'],
    ['4 Jan 2027 09:12 (IST)', '2027-01-04T09:12'],
    ['4 Jan 2027', '2027-01-04'],
  ])('%s is %s', (text, value) => {
    expect(writtenDate(text)).toBe(value);
  });

  it.each([
    ['leaves open which number is the month', '04/01/2027 09:12'],
    ['has no such day', '31 February 2027'],
    ['has no year', 'Monday, 4 January'],
    ['names no month', '4 Brumaire 2027'],
    ['is a word', 'yesterday'],
    ['is of no time of ours', '4 January 1066'],
    ['is empty', ''],
  ])('that %s is none', (_, text) => {
    expect(writtenDate(text)).toBeUndefined();
  });

  it.each(['4 Jan 2027 25:00', '4 Jan 2027 13:00 PM', '4 Jan 2027 09:75'])(
    '%s has a day and no time',
    (text) => {
      expect(writtenDate(text)).toBe('2027-01-04');
    },
  );

  it('has no zone that is further off than any', () => {
    expect(writtenDate('4 Jan 2027 09:12 +9900')).toBe('2027-01-04T09:12');
  });
});
