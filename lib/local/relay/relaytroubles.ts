import type { Clock } from '../../provenance/clock.ts';
import type { TroubleId, Troubles } from '../troubles.ts';
import { bouncesOf } from './bounces.ts';
import { refusedSince } from './ends.ts';
import type { RelayProblem } from './transport.ts';

const troubleOf: Readonly<Record<RelayProblem, TroubleId>> = {
  unreachable: 'relay-unreachable',
  certificate: 'relay-unreachable',
  'no-tls': 'relay-unreachable',
  busy: 'relay-unreachable',
  credentials: 'relay-password-wrong',
  'sign-in': 'relay-sign-in-expired',
};

const day = 86_400_000;
/** How long a refusal, and a report that a mail did not arrive, are told of, in milliseconds. */
const refusalTold = day;
const bounceTold = 7 * day;

/** What people are told of the mail that does not leave, or does not arrive: also by an office that is started anew. */
export class RelayTroubles {
  readonly #outbox: string;
  readonly #clock: Clock;
  readonly #troubles: Pick<Troubles, 'report' | 'clear'> | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #isReminded = false;

  constructor(outbox: string, clock: Clock, troubles: Pick<Troubles, 'report' | 'clear'> | undefined) {
    this.#outbox = outbox;
    this.#clock = clock;
    this.#troubles = troubles;
  }

  /** Tells again of what an earlier office told, and no longer of what is over. */
  async remind(): Promise<void> {
    if (this.#troubles === undefined) return;
    if (!this.#isReminded) {
      const refused = await refusedSince(this.#outbox, this.#clock.now() - refusalTold);
      for (const { at, code } of refused.values()) this.#refused(at, code);
    }
    if (!this.#isWithin(this.#refusedAt, refusalTold)) this.#troubles.clear('relay-rejects');
    const bounces = [...(await bouncesOf(this.#outbox)).values()];
    if (!bounces.some(({ at }) => this.#isWithin(Date.parse(at), bounceTold))) {
      this.#troubles.clear('relay-bounced');
    } else if (!this.#isReminded) {
      this.#troubles.report('relay-bounced');
    }
    this.#isReminded = true;
  }

  held(isHeld: boolean): void {
    this.#stand('restored', isHeld);
  }

  /** @param count how many mails of the outbox cannot be read */
  damaged(count: number): void {
    this.#stand('outbox-damaged', count > 0, String(count));
  }

  /** @param count how many mails the provider puts off, while it takes others */
  delayed(count: number): void {
    this.#stand('relay-delays', count > 0, String(count));
  }

  refused(code: number): void {
    this.#refused(this.#clock.now(), code);
  }

  fails(problem: RelayProblem): void {
    this.#troubles?.report(troubleOf[problem], problem);
  }

  answers(): void {
    this.#troubles?.clear('relay-password-wrong', 'relay-sign-in-expired', 'relay-unreachable');
  }

  #refused(at: number, code: number): void {
    this.#refusedAt = Math.max(this.#refusedAt, at);
    this.#troubles?.report('relay-rejects', String(code));
  }

  #isWithin(at: number, time: number): boolean {
    return this.#clock.now() - at <= time;
  }

  #stand(id: TroubleId, holds: boolean, detail?: string): void {
    if (holds) this.#troubles?.report(id, detail);
    else this.#troubles?.clear(id);
  }
}
