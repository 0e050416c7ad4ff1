import { describe, expect, it } from 'vitest';
import { noticeInputSchema, toNotice } from '../../lib/approval/noticeinput.ts';
import { exampleCircle } from '../support/cases.ts';
import { caseId } from './requests.ts';

const notice = { id: 'x', kind: 'parked', people: ['maya'], slots: { case: caseId, reason: 'CODE' } };
const circle = exampleCircle.id;
const taken = (change: object) =>
  noticeInputSchema.safeParse({ circle, notice: { ...notice, ...change } }).success;

describe('a notice from another function', () => {
  it('is sent to people of the circle of this deployment, whatever it says itself', () => {
    expect(toNotice(noticeInputSchema.parse({ circle, notice }), exampleCircle).circle).toBe(exampleCircle);
    expect(taken({ circle: exampleCircle })).toBe(false);
  });

  it.each([
    ['a kind that is not on the list', { kind: 'advertisement' }],
    ['nobody to tell', { people: [] }],
    ['more people than a circle has', { people: Array.from({ length: 51 }, () => 'maya') }],
    ['an address to copy in', { cc: 'thief@evil.example' }],
    ['no id', { id: '' }],
  ])('is refused with %s', (_name, change) => {
    expect(taken({})).toBe(true);
    expect(taken(change)).toBe(false);
  });

  it.each([
    ['prose for a code', { case: caseId, reason: 'Please call this number' }],
    ['a slot too many', { case: caseId, reason: 'CODE', html: '<b>x</b>' }],
    ['none of its slots', undefined],
  ])('is refused with %s among its slots', (_name, slots) => {
    const input = noticeInputSchema.parse({ circle, notice: { ...notice, slots } });
    expect(() => toNotice(input, exampleCircle)).toThrow(expect.objectContaining({ name: 'ZodError' }));
  });
});
