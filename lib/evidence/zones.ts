import type { Temporal } from '@js-temporal/polyfill';
import type { DoubtName } from '../provenance/trust.ts';
import { windowsZone } from './zonenames.ts';

/** A wall-clock time made an instant. */
export interface ZonedTime {
  /** ISO 8601 with its offset: `2027-03-04T10:30+00:00`. */
  readonly value: string;
  readonly epochMilliseconds: number;
  /** Whether the zone has this time exactly once: a change of clocks skips some times, and repeats others. */
  readonly exact: boolean;
  /** Why it is not exact. */
  readonly doubt?: DoubtName | undefined;
}

/** The instant of a wall-clock time in an IANA zone. A time that the zone skips or repeats is read, but not exact. */
export function zonedTime(local: Temporal.PlainDateTime, zone: string): ZonedTime {
  try {
    return written(local.toZonedDateTime(zone, { disambiguation: 'reject' }));
  } catch {
    const time = local.toZonedDateTime(zone, { disambiguation: 'compatible' });
    return inDoubt(written(time), time.toPlainDateTime().equals(local) ? 'time_repeated' : 'time_skipped');
  }
}

/** The instant of a wall-clock time at a fixed offset from UTC, in seconds. */
export function offsetTime(local: Temporal.PlainDateTime, seconds: number): ZonedTime {
  const sign = seconds < 0 ? '-' : '+';
  const minutes = Math.round(Math.abs(seconds) / 60);
  const pad = (number: number): string => String(number).padStart(2, '0');
  return zonedTime(local, `${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`);
}

/** The time as one that may be another. */
export function inDoubt(time: ZonedTime, doubt: DoubtName): ZonedTime {
  return { ...time, exact: false, doubt };
}

function written(time: Temporal.ZonedDateTime): ZonedTime {
  const local = time.toPlainDateTime();
  const precision = local.second === 0 ? 'minute' : 'second';
  const text = local.toString({ smallestUnit: precision });
  return { value: `${text}${time.offset}`, epochMilliseconds: time.epochMilliseconds, exact: true };
}

/**
 * The IANA zone that a calendar means by a TZID: its own name, one behind a vendor's prefix, or one of Windows'
 * names for it. Outlook sends these without a definition, and a reader that does not know them is an hour wrong.
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
  return windowsZone(name);
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
