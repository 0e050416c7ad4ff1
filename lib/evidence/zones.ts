import type { Temporal } from '@js-temporal/polyfill';
import { findIana } from 'windows-iana';

/** A wall-clock time made an instant. */
export interface ZonedTime {
  /** ISO 8601 with its offset: `2027-03-04T10:30+00:00`. */
  readonly value: string;
  readonly epochMilliseconds: number;
  /** Whether the zone has this time exactly once: a change of clocks skips some times, and repeats others. */
  readonly exact: boolean;
}

/** The instant of a wall-clock time in an IANA zone. A time that the zone skips or repeats is read, but not exact. */
export function zonedTime(local: Temporal.PlainDateTime, zone: string): ZonedTime {
  try {
    return written(local.toZonedDateTime(zone, { disambiguation: 'reject' }), true);
  } catch {
    return written(local.toZonedDateTime(zone, { disambiguation: 'compatible' }), false);
  }
}

/** The instant of a wall-clock time at a fixed offset from UTC, in seconds. */
export function offsetTime(local: Temporal.PlainDateTime, seconds: number): ZonedTime {
  const sign = seconds < 0 ? '-' : '+';
  const minutes = Math.round(Math.abs(seconds) / 60);
  const pad = (number: number): string => String(number).padStart(2, '0');
  return zonedTime(local, `${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`);
}

function written(time: Temporal.ZonedDateTime, exact: boolean): ZonedTime {
  const local = time.toPlainDateTime();
  const precision = local.second === 0 ? 'minute' : 'second';
  const text = local.toString({ smallestUnit: precision });
  return { value: `${text}${time.offset}`, epochMilliseconds: time.epochMilliseconds, exact };
}

/**
 * The IANA zone that a calendar means by a TZID: its own name, one behind a vendor's prefix, or Windows' name for it
 * (CLDR). Outlook sends the last kind without a definition, and a reader that does not know it is an hour wrong.
 *
 * @param tzid attacker-controlled
 * @returns nothing for a name that means nothing here
 */
export function ianaZone(tzid: string): string | undefined {
  const name = tzid.replace(/^"|"$/g, '').trim();
  if (name.length > 120) return undefined;
  if (isIana(name)) return name;
  const behindPrefix = /^\/.*\/([A-Za-z_]+\/[A-Za-z_+-]+(?:\/[A-Za-z_]+)?)$/.exec(name)?.[1];
  if (behindPrefix !== undefined && isIana(behindPrefix)) return behindPrefix;
  const [mapped] = findIana(name);
  return mapped;
}

function isIana(name: string): boolean {
  if (!/^(?:[A-Z][A-Za-z]+(?:\/[A-Za-z0-9_+-]+){1,2}|UTC|GMT)$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
