import { type Clock, systemClock } from '../../provenance/clock.ts';

/** A clock that can also call back. */
export interface EngineClock extends Clock {
  /** Calls back once at or after `time` (milliseconds since the epoch); the returned function cancels. */
  at(time: number, callback: () => void): () => void;
}

/** setTimeout takes a signed 32-bit number of milliseconds, about 24 days: longer waits are cut into pieces. */
const longestTimeout = 2 ** 31 - 1;

/** The machine's own clock and timers. */
export const systemTimer: EngineClock = {
  now: () => systemClock.now(),
  at(time, callback) {
    let timeout: NodeJS.Timeout;
    const arm = () => {
      const left = Math.max(0, time - systemClock.now());
      timeout = left > longestTimeout ? setTimeout(arm, longestTimeout) : setTimeout(callback, left);
    };
    arm();
    return () => clearTimeout(timeout);
  },
};

interface Appointment {
  readonly time: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when it is told to, so that three days pass in milliseconds. Callbacks come in the
 * order of their times; between two of them, everything that can go on without the clock does.
 */
export class VirtualClock implements EngineClock {
  #now: number;
  #order = 0;
  readonly #appointments = new Set<Appointment>();
  readonly #settle: () => Promise<void>;

  /**
   * @param start an ISO 8601 instant, or milliseconds since the epoch
   * @param settle waits until nothing goes on any more; by default a number of turns of the event loop, which
   *   is enough for promises and for functions without input and output
   */
  constructor(start: string | number = '2026-01-01T00:00:00Z', settle: () => Promise<void> = turns) {
    this.#now = typeof start === 'number' ? start : Date.parse(start);
    this.#settle = settle;
  }

  now(): number {
    return this.#now;
  }

  at(time: number, callback: () => void): () => void {
    const appointment = { time, order: this.#order++, callback };
    this.#appointments.add(appointment);
    return () => this.#appointments.delete(appointment);
  }

  /** When the next callback is due, if there is one. */
  get next(): number | undefined {
    return this.#first()?.time;
  }

  /** Moves the clock, calling back whatever becomes due on the way. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.#settle();
    for (let due = this.#first(); due !== undefined && due.time <= end; due = this.#first()) {
      this.#appointments.delete(due);
      this.#now = Math.max(this.#now, due.time);
      due.callback();
      await this.#settle();
    }
    this.#now = end;
  }

  /** Moves the clock from callback to callback until the condition holds or nothing is due any more. */
  async advanceUntil(condition: () => boolean): Promise<void> {
    await this.#settle();
    while (!condition()) {
      const { next } = this;
      if (next === undefined) return;
      await this.advance(Math.max(0, next - this.#now));
    }
  }

  #first(): Appointment | undefined {
    let first: Appointment | undefined;
    for (const each of this.#appointments) {
      if (first === undefined || each.time < first.time) first = each;
    }
    return first;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
