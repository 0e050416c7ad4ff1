/** Where time comes from. Injected everywhere, so that a three-day approval is tested in milliseconds. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's own clock: the only place that reads it. */
export const systemClock: Clock = { now: () => Date.now() };

/** The clock's time as an ISO 8601 instant in UTC, to the millisecond. */
export function isoTime(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/**
 * The calendar day of an instant where somebody lives, as an ISO date: a household's day ends at its own midnight.
 * @param timezone an IANA time zone
 * @param at milliseconds since the Unix epoch
 */
export function dayIn(timezone: string, at: number): string {
  const days =
    formats.get(timezone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  formats.set(timezone, days);
  return days.format(at);
}

/** By time zone: making one costs far more than using it, and whole lists of mails are sorted into days. */
const formats = new Map<string, Intl.DateTimeFormat>();
