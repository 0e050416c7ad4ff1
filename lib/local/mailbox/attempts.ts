import type { Clock } from '../../provenance/clock.ts';

/** So many wrong passwords from one address, and it waits. */
const mostWrong = 5;
/** How long it waits, and how long a wrong one counts, in milliseconds. */
const wait = 15 * 60_000;
/** As many addresses are remembered; the oldest is forgotten first. */
const mostRemembered = 10_000;

/** Slows down whoever tries passwords: by the address that is connected from, which a client cannot make up. */
export class SignInAttempts {
  readonly #clock: Clock;
  readonly #wrong = new Map<string, { count: number; last: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBlocked(address: string): boolean {
    const found = this.#recent(address);
    return found !== undefined && found.count >= mostWrong;
  }

  failed(address: string): void {
    const count = (this.#recent(address)?.count ?? 0) + 1;
    this.#wrong.delete(address);
    this.#wrong.set(address, { count, last: this.#clock.now() });
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > mostRemembered && oldest !== undefined) this.#wrong.delete(oldest);
  }

  succeeded(address: string): void {
    this.#wrong.delete(address);
  }

  #recent(address: string): { count: number; last: number } | undefined {
    const found = this.#wrong.get(address);
    return found !== undefined && this.#clock.now() - found.last < wait ? found : undefined;
  }
}
