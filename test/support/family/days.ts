import { createTransport, type Transporter } from 'nodemailer';
import { vi } from 'vitest';
import { VirtualClock } from '../../../lib/local/asl/timer.ts';
import { type Office, openOffice } from '../../../lib/local/office.ts';
import type { Transport } from '../../../lib/local/relay/transport.ts';
import { type FamilyMail, hour } from './mails.ts';

/** How long nothing may run before it counts as idle, in real milliseconds: longer than from one state to the next. */
const quiet = 25;

interface DaysOptions {
  readonly data: string;
  readonly circleFile: string;
  readonly start: number;
  /** Opened anew for each office, as a real one is. */
  readonly transport: () => Transport;
}

/**
 * An office whose days pass as fast as it can work. Its own clock and the dates that its functions and libraries read
 * are one; whatever is due in between happens at its time.
 */
export class VirtualDays {
  readonly clock: VirtualClock;
  readonly #options: DaysOptions;
  #office: Office | undefined;
  #smtp: Transporter | undefined;
  #calls = 0;
  #running = 0;
  #seen = -1;

  constructor(options: DaysOptions) {
    this.#options = options;
    vi.useFakeTimers({ toFake: ['Date'], now: options.start });
    this.clock = new VirtualClock(options.start, () => this.settle());
  }

  get office(): Office {
    if (this.#office === undefined) throw new TypeError('the office is closed');
    return this.#office;
  }

  get isOpen(): boolean {
    return this.#office !== undefined;
  }

  async open(): Promise<void> {
    const { data, circleFile, transport } = this.#options;
    this.#office = await openOffice({
      data,
      circleFile,
      clock: this.clock,
      transport: transport(),
      onCall: () => {
        this.#calls += 1;
        this.#running += 1;
      },
      onEnd: () => {
        this.#running -= 1;
      },
    });
    this.#smtp = createTransport({ host: '127.0.0.1', port: this.#office.smtp, ignoreTLS: true });
    await this.settle();
  }

  async close(): Promise<void> {
    this.#smtp?.close();
    await this.#office?.close();
    this.#office = undefined;
  }

  /** Gives the clock's time to everything that asks for a date, and waits until nothing goes on. */
  async settle(): Promise<void> {
    vi.setSystemTime(this.clock.now());
    while (this.#office !== undefined && (this.#running > 0 || this.#seen !== this.#calls)) {
      this.#seen = this.#calls;
      await new Promise((resolve) => setTimeout(resolve, quiet));
    }
  }

  /** Lets hours pass: what is due happens, and then the schedule's work. */
  async pass(hours: number): Promise<void> {
    await this.clock.advance(hours * hour);
    await this.settle();
    if (this.#office === undefined) return;
    await this.#office.sweep();
    await this.settle();
  }

  /** Hands mails over as their senders would, all of them at this time. */
  async deliver(mails: readonly FamilyMail[], inbox: string): Promise<void> {
    for (const { raw, from } of mails) {
      await this.#smtp?.sendMail({ envelope: { from, to: inbox }, raw });
    }
  }

  async end(): Promise<void> {
    await this.close();
    vi.useRealTimers();
  }
}
