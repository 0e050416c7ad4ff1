import { expect, it } from 'vitest';
import { dayIn } from '../../lib/provenance/clock.ts';

it.each([
  ['Europe/London', '2027-03-01T23:59:59.999Z', '2027-03-01'],
  ['Europe/London', '2027-06-01T23:00:00Z', '2027-06-02'],
  ['Pacific/Auckland', '2027-03-01T10:59:59Z', '2027-03-01'],
  ['Pacific/Auckland', '2027-03-01T11:00:00Z', '2027-03-02'],
  ['America/Los_Angeles', '2027-03-02T07:59:59Z', '2027-03-01'],
  ['Asia/Kathmandu', '2027-12-31T18:15:00Z', '2028-01-01'],
])('a day in %s ends at its own midnight: %s is %s', (timezone, at, day) => {
  expect(dayIn(timezone, Date.parse(at))).toBe(day);
});
