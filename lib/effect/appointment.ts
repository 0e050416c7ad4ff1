import ICAL from 'ical.js';
import { appointmentName, firstVersion } from '../casefile/appointmentname.ts';
import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import { digestOf } from '../provenance/digest.ts';
import { entryArgument, oneLine, optionalText, textArgument } from './arguments.ts';
import type { Preparation, PreparationContext, Seed } from './context.ts';

/**
 * `add_appointment`: an iCalendar object (RFC 5545) written here from the resolved arguments. Nothing of an invitation
 * is copied, so that no alarm, attendee, organizer, URL or attachment of a stranger gets into a household's calendar.
 */
export function prepareAppointment(call: Call, context: PreparationContext, seed: Seed): Preparation {
  const calendar = entryArgument(call, 'calendar', 'calendars');
  const uid = appointmentUid(call, context.sender);
  const event = new ICAL.Component('vevent');
  event.updatePropertyWithValue('uid', `${uid}@caregate`);
  event.updatePropertyWithValue('sequence', 0);
  event.updatePropertyWithValue('dtstamp', instant(Date.parse(seed.createdAt)));
  setTimes(event, call);
  event.updatePropertyWithValue('summary', plain(textArgument(call, 'title')));
  const place = optionalText(call, 'place');
  if (place !== undefined) event.updatePropertyWithValue('location', plain(place));
  event.updatePropertyWithValue('status', 'CONFIRMED');
  const object = new ICAL.Component('vcalendar');
  object.updatePropertyWithValue('version', '2.0');
  object.updatePropertyWithValue('prodid', '-//Caregate//Caregate//EN');
  object.addSubcomponent(event);
  const bytes = new TextEncoder().encode(`${object.toString()}\r\n`);
  return {
    key: firstVersion(call.circle, calendar.id, uid),
    bytes,
    contentType: 'text/calendar; charset=utf-8',
    // The same invitation, sent again, is the appointment that is there, and no conflict.
    saysTheSame: (other) => isSameAppointment(bytes, other),
  };
}

/** Whether two iCalendar objects hold the same appointment and nothing else, whenever each was written. */
export function isSameAppointment(one: Uint8Array, other: Uint8Array): boolean {
  const said = contentOf(one);
  return said !== undefined && said === contentOf(other);
}

const compared = ['uid', 'sequence', 'dtstart', 'dtend', 'summary', 'location', 'status'];
const expected = new Set([...compared, 'dtstamp']);

/** What an object of one plain event says; nothing for an object that holds anything else. */
function contentOf(bytes: Uint8Array): string | undefined {
  try {
    const calendar = new ICAL.Component(ICAL.parse(new TextDecoder().decode(bytes)));
    const [event, ...others] = calendar.getAllSubcomponents();
    if (event?.name !== 'vevent' || others.length > 0 || event.getAllSubcomponents().length > 0)
      return undefined;
    if (!event.getAllProperties().every(({ name }) => expected.has(name))) return undefined;
    return digestOf(compared.map((name) => event.getFirstPropertyValue(name)?.toString() ?? null));
  } catch {
    return undefined;
  }
}

/** Named by the invitation's UID and its sender; without one, by the call that makes it. */
function appointmentUid(call: Call, sender: string): string {
  const uid = optionalText(call, 'uid');
  if (uid !== undefined) return appointmentName(call.circle, sender, uid);
  return digestOf({ circle: call.circle, case: call.case, action: call.action }).slice(0, 40);
}

function setTimes(event: ICAL.Component, call: Call): void {
  const start = time(call, 'start', textArgument(call, 'start'));
  event.updatePropertyWithValue('dtstart', start);
  const written = optionalText(call, 'end');
  if (written === undefined) return;
  const end = time(call, 'end', written);
  const order = end.compare(start);
  if (end.isDate !== start.isDate || order < 0) throw notATime(call, 'end');
  // DTEND is exclusive and must be later than DTSTART: an end that equals the start says nothing more.
  if (order > 0) event.updatePropertyWithValue('dtend', end);
}

/** A date stays a date; an instant is written in UTC, which every calendar program shows in its own zone. */
function time(call: Call, name: string, value: string): ICAL.Time {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    const date = ICAL.Time.fromDateString(value);
    if (date.toString() === value) return date;
  } else if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/.test(value)) {
    const milliseconds = Date.parse(value);
    if (Number.isFinite(milliseconds)) return instant(milliseconds);
  }
  throw notATime(call, name);
}

function instant(milliseconds: number): ICAL.Time {
  return ICAL.Time.fromJSDate(new Date(milliseconds), true);
}

/** Calendar programs turn addresses of pages into links, with the household's own voice: they are taken out. */
function plain(text: string): string {
  const link = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|(?:mailto|tel|sms|javascript|data):)\S+/giu;
  return oneLine(oneLine(text).replace(link, ' '));
}

function notATime(call: Call, name: string): CaregateError {
  return new CaregateError(
    'INVALID_INPUT',
    `argument \`${name}\` of \`${call.tool}\` is not a date or an instant that fits the others; propose it again`,
  );
}
