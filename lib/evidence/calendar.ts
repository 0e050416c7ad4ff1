import { Temporal } from '@js-temporal/polyfill';
import ICAL from 'ical.js';
import { visibleLine } from '../mail/characters.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import { draftFact, type Page } from './draft.ts';
import { calendarDate } from './validators.ts';
import { ianaZone, offsetTime, type ZonedTime, zonedTime } from './zones.ts';

const mostEvents = 50;

/** The facts of one event, and what tells whether another copy says the same. */
export interface CalendarEvent {
  readonly key: string;
  readonly facts: readonly Fact[];
}

/**
 * The events of an iCalendar file (RFC 5545). A file that does not parse has none.
 * @param page the file's text, unfolded; attacker-controlled
 */
export function eventsOf(page: Page, options: { circle: Circle; now: number }): CalendarEvent[] {
  const calendars = calendarsOf(page.text) ?? [];
  const blocks = eventBlocks(page.text);
  const events = calendars.flatMap((calendar) =>
    calendar.getAllSubcomponents('vevent').map((event) => ({ calendar, event })),
  );
  if (blocks.length !== events.length) return [];
  return events.slice(0, mostEvents).flatMap(({ calendar, event }, index) => {
    const block = blocks[index];
    return block === undefined ? [] : readable({ page, calendar, event, block, ...options });
  });
}

/** The library reads a value when it is asked for, and throws then: one such event must not cost the others. */
function readable(source: EventSource): CalendarEvent[] {
  try {
    return eventOf(source);
  } catch {
    return [];
  }
}

/** The calendars of a file, or nothing if it does not parse. */
export function calendarsOf(text: string): ICAL.Component[] | undefined {
  try {
    const parsed: unknown = ICAL.parse(text);
    return rootsOf(parsed).map((root) => new ICAL.Component(root));
  } catch {
    return undefined;
  }
}

type Root = ConstructorParameters<typeof ICAL.Component>[0];

/** One calendar parses to one jCal array, several to a list of them. */
function rootsOf(parsed: unknown): Root[] {
  if (!Array.isArray(parsed)) return [];
  return (typeof parsed[0] === 'string' ? [parsed] : parsed) as Root[];
}

interface Line {
  readonly name: string;
  readonly index: number;
  readonly length: number;
}

/** The property lines of every event, without those of the components inside it, as they stand in the text. */
function eventBlocks(text: string): Line[][] {
  const blocks: Line[][] = [];
  let depth = 0;
  for (const match of text.matchAll(/^([A-Za-z0-9-]+)[;:](.*)$/gm)) {
    const [whole, name = '', rest = ''] = match;
    const key = name.toUpperCase();
    const component = rest.trim().toUpperCase();
    if (key === 'BEGIN' && depth === 0 && component === 'VEVENT') blocks.push([]);
    if (key === 'BEGIN') depth += depth > 0 || component === 'VEVENT' ? 1 : 0;
    else if (key === 'END') depth -= depth > 0 ? 1 : 0;
    else if (depth === 1) blocks.at(-1)?.push({ name: key, index: match.index, length: whole.length });
  }
  return blocks;
}

interface EventSource {
  readonly page: Page;
  readonly calendar: ICAL.Component;
  readonly event: ICAL.Component;
  readonly block: readonly Line[];
  readonly circle: Circle;
  readonly now: number;
}

function eventOf(source: EventSource): CalendarEvent[] {
  const start = timeOf(source, 'dtstart');
  if (start === undefined) return [];
  const end = timeOf(source, 'dtend') ?? durationEnd(source, start);
  const later =
    end !== undefined &&
    end.whole === start.whole &&
    end.time.epochMilliseconds > start.time.epochMilliseconds;
  const lasting =
    later && !(start.whole && end.time.epochMilliseconds - start.time.epochMilliseconds <= 86_400_000);
  const check = {
    ...termsOf(source),
    resolved: start.resolved && (end?.resolved ?? true),
    ahead: start.time.epochMilliseconds > source.now,
    ordered: end === undefined || later || end.time.epochMilliseconds === start.time.epochMilliseconds,
  };
  const times = [
    ...fact(source, 'appointment_start', start.time.value, ['DTSTART']),
    ...(lasting ? fact(source, 'appointment_end', end.time.value, ['DTEND', 'DURATION']) : []),
  ];
  const uid = textOf(source.event, 'uid');
  return [
    {
      key: `${uid ?? source.page.document} ${textOf(source.event, 'recurrence-id') ?? ''} ${start.time.value}`,
      facts: [
        ...fact(source, 'appointment_title', textOf(source.event, 'summary'), ['SUMMARY']),
        ...calendarDate(times, check),
        ...fact(source, 'appointment_place', textOf(source.event, 'location'), ['LOCATION']),
        ...fact(source, 'appointment_uid', uid, ['UID']),
      ],
    },
  ];
}

function fact(
  source: EventSource,
  kind: FactKind,
  value: string | undefined,
  names: string[],
): Fact<'UNTRUSTED'>[] {
  const line = source.block.find((each) => names.includes(each.name));
  return value === undefined || line === undefined ? [] : [draftFact(source.page, kind, value, line)];
}

function textOf(event: ICAL.Component, name: string): string | undefined {
  const value: unknown = event.getFirstPropertyValue(name);
  const text = visibleLine(value === null || value === undefined ? '' : String(value));
  return text === '' ? undefined : text;
}

function termsOf({ calendar, event }: EventSource): {
  cancelled: boolean;
  recurring: boolean;
  method: string | undefined;
} {
  const has = (name: string): boolean => event.getFirstProperty(name) !== null;
  const called = /^\W*(?:cancel|abgesagt|annul|cancelad)/i.test(textOf(event, 'summary') ?? '');
  return {
    cancelled: textOf(event, 'status')?.toUpperCase() === 'CANCELLED' || called,
    recurring: has('rrule') || has('rdate') || has('exdate') || has('recurrence-id'),
    method: textOf(calendar, 'method')?.toUpperCase(),
  };
}

interface EventTime {
  readonly time: ZonedTime;
  readonly whole: boolean;
  readonly resolved: boolean;
}

const written = /^(?<date>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}:\d{2})(?<utc>Z)?)?$/;

/** A time as it is written: the library would make the 31st of February a day in March. */
function timeOf(source: EventSource, name: string): EventTime | undefined {
  const property = source.event.getFirstProperty(name);
  const { date, time, utc } = written.exec(String(property?.jCal[3] ?? ''))?.groups ?? {};
  if (property === null || date === undefined) return undefined;
  let day: Temporal.PlainDate;
  try {
    day = Temporal.PlainDate.from(date, { overflow: 'reject' });
  } catch {
    return undefined;
  }
  if (day.year < 1970 || day.year > 2200) return undefined;
  if (time === undefined) return wholeDay(day, source.circle.timezone);
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = utc === undefined ? String(property.getParameter('tzid') ?? '') : 'UTC';
  return inZone(day.toPlainDateTime({ hour, minute, second }), zone, source);
}

function wholeDay(date: Temporal.PlainDate, zone: string): EventTime {
  const { epochMilliseconds } = date.toZonedDateTime(zone);
  return { time: { value: date.toString(), epochMilliseconds, exact: true }, whole: true, resolved: true };
}

/** A zone's own name is believed before the file's definition of it; a time without a zone is the circle's, in doubt. */
function inZone(local: Temporal.PlainDateTime, tzid: string, source: EventSource): EventTime {
  const zone = tzid === '' ? undefined : ianaZone(tzid);
  if (zone !== undefined) {
    const time = zonedTime(local, zone);
    return { time, whole: false, resolved: time.exact };
  }
  const offset = definedOffset(local, tzid, source.calendar);
  if (offset !== undefined) return { time: offsetTime(local, offset), whole: false, resolved: true };
  return { time: zonedTime(local, source.circle.timezone), whole: false, resolved: false };
}

/**
 * The offset, in seconds, that the file's own VTIMEZONE gives. Only definitions that change yearly are worked out:
 * anything else is not how clocks are changed, and could keep us busy for ever.
 */
function definedOffset(
  local: Temporal.PlainDateTime,
  tzid: string,
  calendar: ICAL.Component,
): number | undefined {
  const definition = calendar.getAllSubcomponents('vtimezone').find((each) => textOf(each, 'tzid') === tzid);
  if (definition === undefined || local.year > 2100) return undefined;
  const rules = definition.getAllSubcomponents();
  const sane = rules.every((rule) => isYearly(rule.getFirstPropertyValue('rrule')) && isOffset(rule));
  if (!sane || rules.length === 0 || rules.length > 50) return undefined;
  try {
    const { year, month, day, hour, minute, second } = local;
    const time = new ICAL.Time(
      { year, month, day, hour, minute, second, isDate: false },
      ICAL.Timezone.localTimezone,
    );
    const offset = new ICAL.Timezone({ component: definition, tzid }).utcOffset(time);
    return Number.isInteger(offset) && Math.abs(offset) <= 14 * 3600 ? offset : undefined;
  } catch {
    return undefined;
  }
}

function isYearly(rule: unknown): boolean {
  return rule === null || (rule instanceof ICAL.Recur && rule.freq === 'YEARLY' && rule.interval <= 1);
}

/** Offsets as clocks have them, from the file's own words: the library folds others until they fit. */
function isOffset(rule: ICAL.Component): boolean {
  return /^[+-](?:0\d|1[0-4]):[0-5]\d$/.test(String(rule.getFirstProperty('tzoffsetto')?.jCal[3] ?? ''));
}

function durationEnd(source: EventSource, start: EventTime): EventTime | undefined {
  const duration: unknown = source.event.getFirstPropertyValue('duration');
  if (!(duration instanceof ICAL.Duration) || start.whole) return undefined;
  const seconds = duration.toSeconds();
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 31 * 86_400) return undefined;
  const zone = start.time.value.slice(-6);
  const end = Temporal.Instant.fromEpochMilliseconds(start.time.epochMilliseconds + seconds * 1000);
  return { ...start, time: zonedTime(end.toZonedDateTimeISO(zone).toPlainDateTime(), zone) };
}
