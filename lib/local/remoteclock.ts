import type { Clock } from '../provenance/clock.ts';
import type { Troubles } from './troubles.ts';

const minute = 60_000;
/** What a slow answer or a whole minute on a stamp may account for. */
const tolerated = 5 * minute;
/** So many mails in a row that are late by the same are not late: this clock is ahead. */
const conclusive = 3;

/**
 * By how much this machine's clock differs from another's, in milliseconds; ahead is positive. Nothing where the other
 * says no time, or the difference may be that of the way.
 * @param date an HTTP `Date`, which the other side writes as it likes
 */
export function clockDifference(date: string | undefined | null, clock: Clock): number | undefined {
  const other = Date.parse(date ?? '');
  if (Number.isNaN(other)) return undefined;
  const difference = clock.now() - other;
  return Math.abs(difference) > tolerated ? difference : 0;
}

/** The difference as a code: `61-minutes-ahead`. */
export function differenceCode(difference: number): string {
  const minutes = Math.round(Math.abs(difference) / minute);
  return `${minutes}-minutes-${difference > 0 ? 'ahead' : 'behind'}`;
}

export interface RemoteClockOptions {
  readonly clock: Clock;
  readonly troubles: Pick<Troubles, 'report' | 'clear'>;
}

/**
 * Compares this machine's clock with those of servers that are asked anyway. No server is asked for the time. One that
 * is wrong itself makes a trouble that says so, and nothing else: no time is taken from it.
 */
export class RemoteClock {
  readonly #options: RemoteClockOptions;
  /** By how much this clock was ahead of the mails that arrived last, in milliseconds. */
  #arrivals: readonly number[] = [];

  constructor(options: RemoteClockOptions) {
    this.#options = options;
  }

  /** @param date an HTTP `Date` of an answer that just came */
  heard(date: string | null | undefined): void {
    const difference = clockDifference(date, this.#options.clock);
    if (difference === undefined) return;
    if (difference === 0) this.#options.troubles.clear('clock-off');
    else this.#options.troubles.report('clock-off', differenceCode(difference));
  }

  /**
   * What a mail server received cannot lie ahead. That one mail lies behind says nothing: it may have been moved into the
   * folder long after. That several which came one after the other, while the folder was watched, lie behind by the same
   * does: it is not their age then.
   * @param time when a server says that it received something, in milliseconds since the Unix epoch
   * @param watched whether it was not there a minute ago
   */
  received(time: number, watched: boolean): void {
    const { clock, troubles } = this.#options;
    const difference = clock.now() - time;
    if (watched) this.#arrivals = [...this.#arrivals, difference].slice(-conclusive);
    if (difference < -tolerated) troubles.report('clock-off', differenceCode(difference));
    else if (difference < tolerated) troubles.clear('clock-off');
    else if (watched && this.#isAhead()) troubles.report('clock-off', differenceCode(difference));
  }

  #isAhead(): boolean {
    const [least, most] = [Math.min(...this.#arrivals), Math.max(...this.#arrivals)];
    return this.#arrivals.length === conclusive && least > tolerated && most - least < tolerated;
  }
}
