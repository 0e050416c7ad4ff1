import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { createSynced } from '../endpoints/durable.ts';
import { isNotice, readOutbox, type SentMail } from '../endpoints/outbox.ts';
import type { TroubleId, Troubles } from '../troubles.ts';
import { isHeld } from './hold.ts';
import { type Handover, type RelayProblem, relayProblems, type Transport } from './transport.ts';

const at = z.iso.datetime();
/** How a mail's way out ended. */
export const relayEndSchema = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('taken'), at }),
  z.strictObject({ outcome: z.literal('refused'), at, code: z.int() }),
  /** It may have left. A letter is never sent again; a person finds out. */
  z.strictObject({ outcome: z.literal('unknown'), at }),
]);
export type RelayEnd = z.infer<typeof relayEndSchema>;

export interface RelayOptions {
  /** The outbox that is emptied. The mails stay there, to look at. */
  readonly outbox: string;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Told of what keeps mail from leaving, and when it leaves again. */
  readonly troubles?: Pick<Troubles, 'report' | 'clear'> | undefined;
  /** Told of what went wrong, by codes; never of content or addresses. */
  readonly log: (line: string) => void;
}

/** What waits, and what kept it waiting the last time. */
export interface RelayState {
  readonly waiting: number;
  readonly problem?: RelayProblem | undefined;
}

const troubleOf: Readonly<Record<RelayProblem, TroubleId>> = {
  unreachable: 'relay-unreachable',
  certificate: 'relay-unreachable',
  'no-tls': 'relay-unreachable',
  busy: 'relay-unreachable',
  credentials: 'relay-password-wrong',
  'sign-in': 'relay-sign-in-expired',
};

/** How long the relay, or one mail, is left alone after a failure, in milliseconds: longer each time. */
const pauses = [60_000, 120_000, 300_000, 900_000, 3_600_000] as const;
const pauseAfter = (failures: number): number => pauses[Math.min(failures, pauses.length - 1)] ?? 0;
/** How long a refusal is told of, in milliseconds, though other mails are taken. */
const refusalTold = 86_400_000;

/** What became of one mail, once the relay is not to blame. */
type Outcome = Exclude<Handover, { outcome: 'later' }>;

/**
 * Takes what lies in the outbox to the household's mail provider, each mail once. That a mail is about to be handed over
 * is written down first: what was under way when the office ended may have left, so a letter is then never sent again.
 * A notice to the household's own people is, with the same Message-ID: none may be lost.
 */
export class Relay {
  readonly #options: RelayOptions;
  #failures = 0;
  #notBefore = 0;
  #problem: RelayProblem | undefined;
  /** Mails that the relay put off, by their ids: how often, and until when they are left alone. */
  readonly #delayed = new Map<string, { readonly failures: number; readonly notBefore: number }>();
  #refusedAt = Number.NEGATIVE_INFINITY;
  #working: Promise<void> | undefined;
  #again = false;

  constructor(options: RelayOptions) {
    this.#options = options;
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
    return { waiting: (await waitingIn(this.#options.outbox)).length, problem: this.#problem };
  }

  async close(): Promise<void> {
    await this.#working;
    this.#options.transport.close();
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      await this.#round();
    } while (this.#again);
  }

  async #round(): Promise<void> {
    const { outbox, clock, log } = this.#options;
    if (clock.now() < this.#notBefore) return;
    const held = isHeld(outbox);
    if (held) this.#options.troubles?.report('restored');
    else this.#options.troubles?.clear('restored');
    for (const mail of await waitingIn(outbox)) {
      if (held && !isNotice(mail)) continue;
      if (clock.now() < (this.#delayed.get(mail.id)?.notBefore ?? 0)) continue;
      const handover = await this.#handOver(mail);
      if (handover.outcome !== 'later') {
        this.#failures = 0;
        this.#problem = undefined;
        this.#tell(handover, mail);
        continue;
      }
      // What keeps the relay from taking one mail keeps it from all: it is asked again later.
      this.#problem = handover.why;
      this.#notBefore = clock.now() + pauseAfter(this.#failures);
      this.#failures += 1;
      this.#options.troubles?.report(troubleOf[handover.why], handover.why);
      log(`relay: ${relayProblems[handover.why]}; mails wait`);
      return;
    }
  }

  /** The provider answers again; and whether it takes what it is given. */
  #tell(handover: Outcome, { id }: SentMail): void {
    const { troubles, clock } = this.#options;
    if (handover.outcome !== 'unknown') {
      troubles?.clear('relay-password-wrong', 'relay-sign-in-expired', 'relay-unreachable');
    }
    const failures = this.#delayed.get(id)?.failures ?? 0;
    this.#delayed.delete(id);
    if (handover.outcome === 'delayed') {
      this.#delayed.set(id, { failures: failures + 1, notBefore: clock.now() + pauseAfter(failures) });
    }
    if (this.#delayed.size > 0) troubles?.report('relay-delays', String(this.#delayed.size));
    else troubles?.clear('relay-delays');
    if (handover.outcome === 'refused') {
      this.#refusedAt = clock.now();
      troubles?.report('relay-rejects', String(handover.code));
    } else if (handover.outcome === 'taken' && clock.now() - this.#refusedAt > refusalTold) {
      troubles?.clear('relay-rejects');
    }
  }

  async #handOver(mail: SentMail): Promise<Handover> {
    const { outbox, transport, clock } = this.#options;
    const attempt = attemptFile(outbox, mail);
    const begun = await createSynced(attempt, `${JSON.stringify({ at: isoTime(clock) })}\n`);
    if (!begun && !isNotice(mail)) return this.#end(mail, { outcome: 'unknown' });
    const handover = await transport.send(mail);
    if (handover.outcome === 'later' || handover.outcome === 'delayed') {
      await rm(attempt, { force: true });
      return handover;
    }
    return this.#end(mail, handover);
  }

  async #end(mail: SentMail, handover: Exclude<Outcome, { outcome: 'delayed' }>): Promise<Handover> {
    const { outbox, clock, log } = this.#options;
    const end = relayEndSchema.parse({ ...handover, at: isoTime(clock) });
    await createSynced(endFile(outbox, mail), `${JSON.stringify(end)}\n`);
    if (handover.outcome !== 'taken') log(`relay: mail ${mail.id} ended as ${handover.outcome}`);
    return handover;
  }
}

/**
 * Ends a letter that is held after a restore without sending it: a person found out, or rather asks its recipient than
 * have it arrive twice. Nobody else ends it meanwhile, since the relay leaves held letters alone.
 * @throws CaregateError `NOT_FOUND` for an id that is no letter of this outbox, or `INVALID_INPUT` for one that is not held
 */
export async function neverSend(outbox: string, id: string, clock: Clock): Promise<void> {
  const [mail] = await readOutbox(outbox, (each) => each === id);
  if (mail === undefined || isNotice(mail)) {
    throw new CaregateError(
      'NOT_FOUND',
      `letter \`${id}\` is not in the outbox; \`caregate outbox --json\` lists their ids`,
    );
  }
  const end = relayEndSchema.parse({ outcome: 'unknown', at: isoTime(clock) });
  const ended = (await relayEnds(outbox)).has(id);
  if (isHeld(outbox) && !ended && (await createSynced(endFile(outbox, mail), `${JSON.stringify(end)}\n`)))
    return;
  throw new CaregateError(
    'INVALID_INPUT',
    `letter \`${id}\` is not held: it has left, or nothing keeps it; see \`caregate outbox\``,
  );
}

/** How each mail that has left, or never will, ended: by its id. */
export async function relayEnds(outbox: string): Promise<ReadonlyMap<string, RelayEnd>> {
  const names = (await readdir(folderOf(outbox)).catch(() => [])).filter((name) =>
    name.endsWith('.end.json'),
  );
  const ends = await Promise.all(
    names.map(async (name): Promise<[string, RelayEnd]> => {
      const text = await readFile(join(folderOf(outbox), name), 'utf8');
      return [name.slice(0, -'.end.json'.length), relayEndSchema.parse(JSON.parse(text))];
    }),
  );
  return new Map(ends);
}

/** Mails that were accepted and have no end yet, the oldest first. */
async function waitingIn(outbox: string): Promise<readonly SentMail[]> {
  const ended = new Set(await readdir(folderOf(outbox)).catch(() => []));
  return readOutbox(outbox, (id) => !ended.has(`${id}.end.json`));
}

/** Where it is written down how each mail of an outbox left. */
export const folderOf = (outbox: string): string => join(outbox, 'relay');
const attemptFile = (outbox: string, { id }: SentMail): string =>
  join(folderOf(outbox), `${id}.attempt.json`);
const endFile = (outbox: string, { id }: SentMail): string => join(folderOf(outbox), `${id}.end.json`);
