import { Temporal } from '@js-temporal/polyfill';
import type { Circle } from '../lib/provenance/circle.ts';
import type { Clock } from '../lib/provenance/clock.ts';

/** A day without a time. The samples speak of days relative to today, so that they never age. */
export type Day = Temporal.PlainDate;

/** Today where the circle lives. */
export function today(clock: Clock, circle: Circle): Day {
  return Temporal.Instant.fromEpochMilliseconds(clock.now())
    .toZonedDateTimeISO(circle.timezone)
    .toPlainDate();
}

/** The first day from `day` plus `days` on which a clinic is open. */
export function workingDay(day: Day, days: number): Day {
  let candidate = day.add({ days });
  while (!isWorkingDay(candidate)) candidate = candidate.add({ days: 1 });
  return candidate;
}

/** The last day before `day` on which an office writes letters. */
export function lastWorkingDay(day: Day, days: number): Day {
  let candidate = day.subtract({ days });
  while (!isWorkingDay(candidate)) candidate = candidate.subtract({ days: 1 });
  return candidate;
}

// The holidays that keep their date. A clinic that invites for Christmas Day would look invented.
const holidays = new Set(['12-25', '12-26', '01-01']);

function isWorkingDay(day: Day): boolean {
  return day.dayOfWeek <= 5 && !holidays.has(day.toString().slice(5));
}

/** `Thursday 14 January 2027`: a letter's date, with the weekday that lets a reader check it. */
export function longDate(day: Day): string {
  return `${named(day, { weekday: 'long' })} ${plainDate(day)}`;
}

/** `14 January 2027`. */
export function plainDate(day: Day): string {
  return `${day.day} ${named(day, { month: 'long' })} ${day.year}`;
}

/** `Thu, 14 Jan 2027 at 16:05`: how a mail program quotes the date of what it forwards. */
export function quotedDate(day: Day, time: string): string {
  const [weekday, month] = [named(day, { weekday: 'short' }), named(day, { month: 'short' })];
  return `${weekday}, ${day.day} ${month} ${day.year} at ${time}`;
}

/** `19480309` or `20270114T103000`: iCalendar's forms. */
export function calendarDate(day: Day, time?: string): string {
  const date = day.toString().replaceAll('-', '');
  return time === undefined ? date : `${date}T${time.replace(':', '')}00`;
}

/** The instant of a wall-clock time where the circle lives. Use office hours: no zone changes its clocks in them. */
export function instantOf(day: Day, time: string, circle: Circle): Date {
  const zoned = day.toZonedDateTime({ timeZone: circle.timezone, plainTime: Temporal.PlainTime.from(time) });
  return new Date(zoned.epochMilliseconds);
}

// American English for the parts: British months abbreviate September as `Sept`, which mail programs do not.
function named(day: Day, options: Intl.DateTimeFormatOptions): string {
  const noon = new Date(`${day.toString()}T12:00:00Z`);
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(noon);
}
