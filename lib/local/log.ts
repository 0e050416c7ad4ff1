import { appendFileSync, renameSync, statSync } from 'node:fs';
import { CaregateError } from '../errors.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';

/** A log of so many bytes is put aside, so that two of them are the most that there ever is. */
const largest = 5_000_000;

/** The office's own log: what failed, by its kind and our own words. No mail text, no names, no tokens. */
export class OfficeLog {
  readonly #file: string;
  readonly #clock: Clock;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  failure(name: string, error: unknown): void {
    const known = error instanceof CaregateError;
    const kind = error instanceof Error ? error.name : typeof error;
    this.#write({
      at: isoTime(this.#clock),
      function: name,
      error: kind,
      ...(known ? { text: error.message } : {}),
    });
  }

  /** A line of a service. */
  note(text: string): void {
    this.#write({ at: isoTime(this.#clock), text });
  }

  #write(line: object): void {
    try {
      if ((statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > largest) {
        renameSync(this.#file, `${this.#file}.old`);
      }
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not turn one failure into two: the failure itself reaches the history anyway.
    }
  }
}
