import { Temporal } from '@js-temporal/polyfill';
import ICAL from 'ical.js';
import { visibleLine } from '../mail/characters.ts';
import type { DoubtName } from '../provenance/trust.ts';
import { ianaZone, inDoubt, offsetTime, type ZonedTime, zonedTime } from './zones.ts';

/** A time of an event. */
export interface EventTime {
  readonly time: ZonedTime;
  readonly whole: boolean;
  /** The IANA zone that its name means, where it has one. */
  readonly zone?: string | undefined;
  readonly doubt?: DoubtName | undefined;
}

export interface TimedEvent {
  readonly calendar: ICAL.Component;
  readonly event: ICAL.Component;
  /** The circle's zone: that of a time without one, in doubt. */
  readonly timezone: string;
}

/** The text of a property's first value on one line, without what cannot be seen; nothing for a blank one. */
export function textOf(component: ICAL.Component, name: string): string | undefined {
  const value: unknown = component.getFirstPropertyValue(name);
  const text = visibleLine(value === null || value === undefined ? '' : String(value));
  return text === '' ? undefined : text;
}

const written = /^(?<date>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}:\d{2})(?<utc>Z)?)?$/;

/** A time as it is written: the library would make the 31st of February a day in March. */
export function timeOf(source: TimedEvent, name: string): EventTime | undefined {
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
  if (time === undefined) return wholeDay(day, source.timezone);
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = utc === undefined ? String(property.getParameter('tzid') ?? '') : 'UTC';
  return inZone(day.toPlainDateTime({ hour, minute, second }), zone, source);
}

function wholeDay(date: Temporal.PlainDate, zone: string): EventTime {
  const { epochMilliseconds } = date.toZonedDateTime(zone);
  return { time: { value: date.toString(), epochMilliseconds, exact: true }, whole: true };
}

/** A zone's own name is believed before the file's definition of it; a time without a zone is the circle's, in doubt. */
function inZone(local: Temporal.PlainDateTime, tzid: string, source: TimedEvent): EventTime {
  const zone = tzid === '' ? undefined : ianaZone(tzid);
  if (zone !== undefined) {
    const time = zonedTime(local, zone);
    return { time, whole: false, zone: zone === 'UTC' ? undefined : zone, doubt: time.doubt };
  }
  const offset = definedOffset(local, tzid, source.calendar);
  if (offset !== undefined) return { time: offsetTime(local, offset), whole: false };
  const doubt = tzid === '' ? 'zone_missing' : 'zone_unknown';
  return { time: inDoubt(zonedTime(local, source.timezone), doubt), whole: false, doubt };
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

/** When an event of this start and its duration ends. */
export function durationEnd(event: ICAL.Component, start: EventTime): EventTime | undefined {
  const duration: unknown = event.getFirstPropertyValue('duration');
  if (!(duration instanceof ICAL.Duration) || start.whole) return undefined;
  const seconds = duration.toSeconds();
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 31 * 86_400) return undefined;
  const zone = start.time.value.slice(-6);
  const end = Temporal.Instant.fromEpochMilliseconds(start.time.epochMilliseconds + seconds * 1000);
  return { ...start, time: zonedTime(end.toZonedDateTimeISO(zone).toPlainDateTime(), zone) };
}
