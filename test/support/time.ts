import type { Clock } from '../../lib/provenance/clock.ts';
import type { Randomness } from '../../lib/provenance/randomness.ts';

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now: number;
  constructor(start: string) {
    this.#now = Date.parse(start);
  }
  now(): number {
    return this.#now;
  }
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** Randomness that a test can repeat: a xorshift generator from a seed. Not for production. */
export function seededRandomness(seed: number): Randomness {
  let state = seed | 0 || 1;
  return {
    bytes: (size) =>
      Uint8Array.from({ length: size }, () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return state & 255;
      }),
  };
}
