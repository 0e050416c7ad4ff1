import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { prepareAppointment } from '../../lib/effect/appointment.ts';
import { appointmentCall, circle } from './calls.ts';
import { preparing } from './preparing.ts';

const seed = { attempt: 'attempt-1', createdAt: '2027-02-01T09:00:00.000Z' };
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function written(texts: Readonly<Record<string, string>> = {}, sender = 'maya') {
  const { key, bytes } = prepareAppointment(appointmentCall(texts), preparing({ sender }), seed);
  const calendar = new ICAL.Component(ICAL.parse(text(bytes)));
  const event = calendar.getFirstSubcomponent('vevent');
  const property = (name: string): string | undefined => event?.getFirstPropertyValue(name)?.toString();
  return { key, bytes, calendar, event, property };
}

describe('an appointment that was added', () => {
  it('lies in the calendar of the circle, under its own UID and SEQUENCE', () => {
    const { key, property } = written();
    const [uid, domain] = property('uid')?.split('@') ?? [];
    expect(key).toBe(`${layout.calendar(circle.id, 'family')}${uid}-0000.ics`);
    expect(domain).toBe('caregate');
    expect(property('sequence')).toBe('0');
  });

  it('says when, in UTC, what and where', () => {
    const { property } = written({
      title: 'Cardiology',
      start: '2027-03-04T10:30:00+01:00',
      end: '2027-03-04T11:00:00+01:00',
      place: 'Ward 3, Room 2',
    });
    expect(property('dtstart')).toBe('2027-03-04T09:30:00Z');
    expect(property('dtend')).toBe('2027-03-04T10:00:00Z');
    expect(property('summary')).toBe('Cardiology');
    expect(property('location')).toBe('Ward 3, Room 2');
  });

  it('keeps a date a date', () => {
    const { bytes } = written({ start: '2027-03-04', end: '2027-03-06' });
    expect(text(bytes)).toContain('DTSTART;VALUE=DATE:20270304\r\n');
    expect(text(bytes)).toContain('DTEND;VALUE=DATE:20270306\r\n');
  });

  it('invents no end', () => {
    expect(written().property('dtend')).toBeUndefined();
    expect(written({ start: '2027-03-04', end: '2027-03-04' }).property('dtend')).toBeUndefined();
  });

  it('has the same bytes for the same intent', () => {
    expect(text(written({ uid: 'a' }).bytes)).toBe(text(written({ uid: 'a' }).bytes));
  });

  it.each([
    ['a local time', { start: '2027-03-04T10:30:00' }],
    ['a day that does not exist', { start: '2027-02-30' }],
    ['an hour that does not exist', { start: '2027-03-04T25:30:00Z' }],
    ['prose', { start: 'next Thursday' }],
    ['an end before the start', { end: '2027-03-04T10:00:00Z' }],
    ['an end that is a date when the start is not', { end: '2027-03-05' }],
  ])('refuses %s', (_, texts) => {
    expect(() => written(texts)).toFailWithCode('INVALID_INPUT');
  });
});

describe('the UID of an appointment', () => {
  it('is another for the same invitation from another sender', () => {
    expect(written({ uid: 'a' }, 'maya').key).not.toBe(written({ uid: 'a' }, 'tom').key);
  });

  it('is the same for the same invitation from the same sender, whatever else it says', () => {
    expect(written({ uid: 'a' }).key).toBe(written({ uid: 'a', title: 'Another' }).key);
  });

  it('is the action of the case where the document gave none', () => {
    const other = prepareAppointment(appointmentCall({}, 9), preparing(), seed);
    expect(other.key).not.toBe(written().key);
  });
});

describe('nothing of a stranger gets into a calendar', () => {
  it('neither an alarm nor an attendee, however they are written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (tail) => {
        const hostile = `Visit\r\nATTENDEE:mailto:a@b.example\nBEGIN:VALARM\nEND:VALARM\r${tail}`;
        fc.pre(hostile.isWellFormed());
        const { calendar, event } = written({ title: hostile, place: hostile });
        expect(calendar.getAllSubcomponents()).toHaveLength(1);
        expect(event?.getAllSubcomponents()).toHaveLength(0);
        const names = event?.getAllProperties().map((property) => property.name);
        expect(names?.sort()).toEqual(
          ['dtstamp', 'dtstart', 'location', 'sequence', 'status', 'summary', 'uid'].sort(),
        );
      }),
    );
  });

  it.each([
    ['Cardiology https://evil.example/pay now', 'Cardiology now'],
    ['Cardiology www.evil.example', 'Cardiology'],
    ['Call tel:+441234 or mailto:a@b.example', 'Call or'],
    ['javascript:alert(1) Visit', 'Visit'],
  ])('no link: %s', (title, expected) => {
    expect(written({ title }).property('summary')).toBe(expected);
  });
});
