import { rm } from 'node:fs/promises';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { createSynced } from '../endpoints/durable.ts';
import {
  isNotice,
  type KeptMail,
  listOutbox,
  type OutboxListing,
  outboxHeads,
  readKept,
  type SentMail,
} from '../endpoints/outbox.ts';
import type { Troubles } from '../troubles.ts';
import { attemptFile, endedIds, keepEnd, refusedSince, relayEndSchema } from './ends.ts';
import { isHeld } from './hold.ts';
import { RelayTroubles } from './relaytroubles.ts';
import { type Handover, type RelayProblem, relayProblems, type Transport } from './transport.ts';

export interface RelayOptions {
  /** The outbox that is emptied. The mails stay there, to look at. */
  readonly outbox: string;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Told of what keeps mail from leaving, and when it leaves again. */
  readonly troubles?: Pick<Troubles, 'report' | 'clear'> | undefined;
  /** Told of a mail that the provider refused for good, with the beginning of its bytes; told again where it fails. */
  readonly refused?: (mail: SentMail) => Promise<void>;
  /** Told of what went wrong, by codes; never of content or addresses. */
  readonly log: (line: string) => void;
}

/** What waits, and what kept it waiting the last time. */
export interface RelayState {
  readonly waiting: number;
  readonly problem?: RelayProblem | undefined;
}

/** How long the relay, or one mail, is left alone after a failure, in milliseconds: longer each time. */
const pauses = [60_000, 120_000, 300_000, 900_000, 3_600_000] as const;
const pauseAfter = (failures: number): number => pauses[Math.min(failures, pauses.length - 1)] ?? 0;

/** How often a notice is handed over whose connection broke after its text: none may be lost, nor told for ever. */
const mostTries = pauses.length;

/** How long a refusal may have waited to be told by an office that is started anew, in milliseconds: a week. */
const refusalRetold = 7 * 86_400_000;

/** How long a mail that is being handed over when the office closes may take, in milliseconds. */
const closingPatience = 8000;

/** What became of one mail, once the relay is not to blame. */
type Outcome = Exclude<Handover, { outcome: 'later' }>;
type Final = Exclude<Outcome, { outcome: 'delayed' }>;

/**
 * Takes what lies in the outbox to the household's mail provider, each mail once. That a mail is about to be handed over
 * is written down first: what was under way when the office ended may have left, so a letter is then never sent again.
 * A notice to the household's own people is, with the same Message-ID: none may be lost.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #troubles: RelayTroubles;
  #failures = 0;
  #notBefore = 0;
  #problem: RelayProblem | undefined;
  /** Mails that the relay put off, by their ids: how often, and until when they are left alone. */
  readonly #delayed = new Map<string, { readonly failures: number; readonly notBefore: number }>();
  /** The ids of refused mails that were not told of yet. What an earlier office told of is told again, at first. */
  #untold: Set<string> | undefined;
  #working: Promise<void> | undefined;
  #again = false;
  #isClosing = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#troubles = new RelayTroubles(options.outbox, options.clock, options.troubles);
  }

  /**
   * Hands over what waits, in order. Called again while it works, it looks once more afterwards. It does not fail: what
   * keeps it from working, a full disk perhaps, is noted, and the mails wait.
   */
  work(): Promise<void> {
    if (this.#working !== undefined) {
      this.#again = true;
      return this.#working;
    }
    this.#working = this.#rounds()
      .catch((error: unknown) => {
        this.#options.log(`relay: mails wait: ${error instanceof Error ? error.name : typeof error}`);
      })
      .finally(() => {
        this.#working = undefined;
      });
    return this.#working;
  }

  async state(): Promise<RelayState> {
    return { waiting: (await this.#waiting()).mails.length, problem: this.#problem };
  }

  /** Begins no other mail, and waits a moment for the one that is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const late = setTimeout(() => this.#options.transport.close(), closingPatience);
    await this.#working;
    clearTimeout(late);
    this.#options.transport.close();
  }

  async #rounds(): Promise<void> {
    this.#untold ??= await this.#begin();
    const untold = this.#untold;
    do {
      this.#again = false;
      await this.#round(untold);
      await this.#tellRefused(untold);
    } while (this.#again && !this.#isClosing);
  }

  /** Tells again of what an earlier office told. @returns the refused mails, whom nobody may have been told of */
  async #begin(): Promise<Set<string>> {
    const { outbox, clock } = this.#options;
    const refused = await refusedSince(outbox, clock.now() - refusalRetold);
    await this.#troubles.remind([...refused.values()]);
    return new Set(refused.keys());
  }

  async #round(untold: Set<string>): Promise<void> {
    const { outbox, clock, log } = this.#options;
    await this.#troubles.expire();
    if (clock.now() < this.#notBefore) return;
    const held = isHeld(outbox);
    this.#troubles.held(held);
    const { mails, damaged } = await this.#waiting();
    const unread = new Set(damaged);
    for (const kept of mails) {
      if (this.#isClosing) return;
      if (held && !isNotice(kept)) continue;
      if (clock.now() < (this.#delayed.get(kept.id)?.notBefore ?? 0)) continue;
      // One after the other: all of them, with what is attached, may be more than a small machine has room for.
      const mail = await readKept(outbox, kept).catch(() => undefined);
      if (mail === undefined) {
        unread.add(kept.id);
        continue;
      }
      const handover = await this.#handOver(mail);
      if (handover.outcome === 'later') {
        this.#wait(handover.why);
        log(`relay: ${relayProblems[handover.why]}; mails wait`);
        break;
      }
      this.#failures = 0;
      this.#problem = undefined;
      this.#tell(handover, kept);
      if (handover.outcome === 'refused') untold.add(kept.id);
    }
    this.#troubles.damaged(unread.size);
  }

  /** What keeps the relay from taking one mail keeps it from all: it is asked again later. */
  #wait(problem: RelayProblem): void {
    this.#problem = problem;
    this.#notBefore = this.#options.clock.now() + pauseAfter(this.#failures);
    this.#failures += 1;
    this.#troubles.fails(problem);
  }

  /** The provider answers again; and whether it takes what it is given. */
  #tell(handover: Outcome, { id }: KeptMail): void {
    if (handover.outcome !== 'unknown') this.#troubles.answers();
    const failures = this.#delayed.get(id)?.failures ?? 0;
    this.#delayed.delete(id);
    if (handover.outcome === 'delayed') {
      const notBefore = this.#options.clock.now() + pauseAfter(failures);
      this.#delayed.set(id, { failures: failures + 1, notBefore });
    }
    this.#troubles.delayed(this.#delayed.size);
    if (handover.outcome === 'refused') this.#troubles.refused(handover.code, this.#options.clock.now());
  }

  async #handOver(mail: SentMail): Promise<Handover> {
    const { outbox, transport, clock } = this.#options;
    const attempt = attemptFile(outbox, mail.id);
    const begun = await createSynced(attempt, `${JSON.stringify({ at: isoTime(clock) })}\n`);
    if (!begun && !isNotice(mail)) return this.#end(mail, { outcome: 'unknown' });
    const handover = await transport.send(mail);
    if (handover.outcome === 'later' || handover.outcome === 'delayed') {
      await rm(attempt, { force: true });
      return handover;
    }
    const tries = (this.#delayed.get(mail.id)?.failures ?? 0) + 1;
    const again = handover.outcome === 'unknown' && isNotice(mail) && tries < mostTries;
    return again ? { outcome: 'delayed' } : this.#end(mail, handover);
  }

  async #end(mail: SentMail, handover: Final): Promise<Final> {
    const { outbox, clock, log } = this.#options;
    await keepEnd(outbox, mail.id, relayEndSchema.parse({ ...handover, at: isoTime(clock) }));
    if (handover.outcome !== 'taken') log(`relay: mail ${mail.id} ended as ${handover.outcome}`);
    return handover;
  }

  async #tellRefused(untold: Set<string>): Promise<void> {
    const { outbox, refused, log } = this.#options;
    if (refused === undefined || untold.size === 0) return;
    for await (const mail of outboxHeads(outbox, (id) => untold.has(id))) {
      try {
        await refused(mail);
        untold.delete(mail.id);
      } catch (error) {
        log(`relay: a refusal is still to be told: ${error instanceof Error ? error.name : typeof error}`);
      }
    }
  }

  /** Mails that were accepted and have no end yet, the oldest first. */
  async #waiting(): Promise<OutboxListing> {
    const ended = await endedIds(this.#options.outbox);
    return listOutbox(this.#options.outbox, (id) => !ended.has(id));
  }
}
