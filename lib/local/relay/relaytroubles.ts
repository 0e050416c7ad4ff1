import type { Clock } from '../../provenance/clock.ts';
import type { TroubleId, Troubles } from '../troubles.ts';
import { bouncesOf } from './bounces.ts';
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

  constructor(outbox: string, clock: Clock, troubles: Pick<Troubles, 'report' | 'clear'> | undefined) {
    this.#outbox = outbox;
    this.#clock = clock;
    this.#troubles = troubles;
  }

  /** Tells again of what an earlier office told: the refusals that are given, and reports that mails did not arrive. */
  async remind(refused: readonly { readonly at: number; readonly code: number }[]): Promise<void> {
    for (const { at, code } of refused) if (this.#isWithin(at, refusalTold)) this.refused(code, at);
    if (await this.#hasBounces()) this.#troubles?.report('relay-bounced');
  }

  /** Tells no longer of what is over. */
  async expire(): Promise<void> {
    if (!this.#isWithin(this.#refusedAt, refusalTold)) this.#troubles?.clear('relay-rejects');
    if (!(await this.#hasBounces())) this.#troubles?.clear('relay-bounced');
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

  /** @param at when, in milliseconds of the epoch */
  refused(code: number, at: number): void {
    this.#refusedAt = Math.max(this.#refusedAt, at);
    this.#troubles?.report('relay-rejects', String(code));
  }

  fails(problem: RelayProblem): void {
    this.#troubles?.report(troubleOf[problem], problem);
  }

  answers(): void {
    this.#troubles?.clear('relay-password-wrong', 'relay-sign-in-expired', 'relay-unreachable');
  }

  async #hasBounces(): Promise<boolean> {
    const bounces = [...(await bouncesOf(this.#outbox)).values()];
    return bounces.some(({ at }) => this.#isWithin(Date.parse(at), bounceTold));
  }

  #isWithin(at: number, time: number): boolean {
    return this.#clock.now() - at <= time;
  }

  #stand(id: TroubleId, holds: boolean, detail?: string): void {
    if (holds) this.#troubles?.report(id, detail);
    else this.#troubles?.clear(id);
  }
}
