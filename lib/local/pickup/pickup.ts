import { CaregateError, isCaregateError } from '../../errors.ts';
import { isoTime } from '../../provenance/clock.ts';
import { sha256 } from '../../provenance/digest.ts';
import type { Randomness } from '../../provenance/randomness.ts';
import type { EngineClock } from '../asl/timer.ts';
import type { Verdicts } from '../mailbox/event.ts';
import type { Troubles } from '../troubles.ts';
import { pauseAfter } from './backoff.ts';
import { settleCursor } from './beginning.ts';
import { Cursor } from './cursor.ts';
import { type ListedMail, Mailbox, type MailboxAccess } from './mailbox.ts';
import { type MailboxProblem, problemDetails, problemOf } from './problems.ts';
import { type Receiver, receiverFor } from './receivers.ts';
import { providerFindings } from './verdicts.ts';

/** A mail that was picked up, as it lay in the mailbox. */
export interface PickedMail {
  /** The same for the same bytes, so that a mail that is fetched again is no second delivery. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The server that it was fetched from. */
  readonly host: string;
  /** The envelope's sender, as the household's provider wrote it down. */
  readonly source: string;
  readonly verdicts: Verdicts;
}

export interface PickupOptions extends MailboxAccess {
  /** The directory of the cursors. */
  readonly directory: string;
  /** The size in bytes of the largest mail that the inbox takes. */
  readonly limit: number;
  readonly clock: EngineClock;
  readonly randomness: Randomness;
  /** Where the household is told what keeps its mail from coming in. */
  readonly troubles: Pick<Troubles, 'report' | 'clear'>;
  /** Takes a mail over. When it returns, the mail and what is known of its delivery are on disk. */
  readonly take: (mail: PickedMail) => Promise<void>;
  /**
   * Told when the server received a mail that was not looked at before, in milliseconds since the Unix epoch, and
   * whether it is the last of those that came while the folder was watched.
   */
  readonly received?: ((time: number, watched: boolean) => void) | undefined;
  /** Told what went wrong, by codes; never of content or addresses. */
  readonly log: (line: string) => void;
}

const minutes = 60_000;
/** RFC 2177 wants IDLE issued anew before 29 minutes; routers at home forget a quiet connection sooner. */
const idleFor = 9 * minutes;
/** How often a server without IDLE is asked. */
const pollEvery = 1 * minutes;
/** How long a listing, or one mail of 40 MB on a slow line, may take, in milliseconds. */
const longestStep = 15 * minutes;
/** How long one that is closed waits for the server, in milliseconds. */
const mostPatience = 5_000;

/**
 * Picks mail up from the household's mailbox for as long as the office runs. Each mail is fetched, handed over, noted in
 * the cursor, and then marked or moved, one after the other: whatever ends in between, the mail is fetched again, and the
 * store knows its bytes. What lies in the mailbox stays there.
 */
export class Pickup {
  readonly #options: PickupOptions;
  readonly #cursor: Cursor;
  readonly #receiver: Receiver | undefined;
  readonly #leaves: boolean;
  /** Why what was taken could not be put away the last time. */
  #refused: MailboxProblem['trouble'] | undefined;
  #closed = false;
  /** How often in a row a connection brought nothing. */
  #failures = 0;
  #stop: () => void = () => {};
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });
  #looked: () => void = () => {};
  /** Resolves once the mailbox has been looked through for the first time, or could not be. */
  readonly looked = new Promise<void>((resolve) => {
    this.#looked = resolve;
  });
  #running: Promise<void> = Promise.resolve();
  /** The connection under way. */
  #mailbox: Mailbox | undefined;

  private constructor(options: PickupOptions, cursor: Cursor) {
    this.#options = options;
    this.#cursor = cursor;
    this.#leaves = options.settings.since === 'now' && !cursor.begun('now');
    this.#receiver = receiverFor(options.settings.host, options.settings.authserv);
  }

  /** Begins to pick up, in the background. @throws CaregateError as {@link Cursor.open} */
  static async start(options: PickupOptions): Promise<Pickup> {
    const pickup = new Pickup(options, await Cursor.open(options.directory, options.settings));
    pickup.#running = pickup.#run();
    return pickup;
  }

  /** Which folder is picked up from, where, and whether what lies there now is left alone. */
  get from(): { readonly folder: string; readonly host: string; readonly leaves: boolean } {
    const { folder, host } = this.#options.settings;
    return { folder, host, leaves: this.#leaves };
  }

  /** Ends after the mail under way, or without it where the server keeps it waiting: it is fetched again then. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    const late = setTimeout(() => this.#mailbox?.close(), mostPatience);
    await this.#running;
    clearTimeout(late);
  }

  async #run(): Promise<void> {
    const { clock, randomness } = this.#options;
    const started = isoTime(clock);
    while (!this.#closed) {
      try {
        await this.#attend();
      } catch (error) {
        if (this.#closed) return;
        this.#failures += 1;
        const trouble = this.#failed(error);
        // A full disk may be what failed: then the next try notes it, or finds the mailbox open.
        await this.#cursor.wait(started).catch(() => {});
        this.#looked();
        await this.#until(clock.now() + pauseAfter(this.#failures, trouble, randomness));
      }
    }
  }

  /** Says what failed. @returns what decides how soon it is tried again */
  #failed(error: unknown): MailboxProblem['trouble'] {
    const { log, settings, troubles } = this.#options;
    if (isCaregateError(error, 'STORE_UNAVAILABLE')) {
      // The mailbox is not to blame: the mail waits there, and what is wrong with the disk is said where it was met.
      log(`pick-up: ${error.message}`);
      return 'mailbox-unreachable';
    }
    const problem = problemOf(error, settings);
    log(`pick-up: ${problemDetails[problem.detail]}`);
    // A connection that ends is no trouble as long as the next one stands.
    if (this.#failures > 1 || problem.detail !== 'closed') troubles.report(problem.trouble, problem.detail);
    return problem.trouble;
  }

  /** Looks after one connection until it ends. */
  async #attend(): Promise<void> {
    const { clock, limit, troubles } = this.#options;
    const mailbox = await Mailbox.open(this.#options, limit);
    this.#mailbox = mailbox;
    try {
      troubles.clear('mailbox-unreachable', 'mailbox-password-wrong', 'mailbox-sign-in-expired');
      await within(mailbox, settleCursor(this.#cursor, mailbox, this.#options));
      for (let watched = false; !this.#closed; watched = true) {
        await this.#round(mailbox, watched);
        this.#failures = 0;
        this.#looked();
        if (this.#closed) break;
        const next = clock.now() + (mailbox.idles ? idleFor : pollEvery);
        await this.#until(next, mailbox.news());
      }
    } finally {
      mailbox.close();
    }
  }

  /** Takes what is owed and what is new, the oldest first. */
  async #round(mailbox: Mailbox, watched: boolean): Promise<void> {
    const cursor = this.#cursor;
    await within(mailbox, this.#putAway(mailbox));
    const { seen, owed } = cursor;
    const again = owed.length === 0 ? [] : await within(mailbox, mailbox.list(owed.join(',')));
    // `*` is the last mail even where its UID is below the range.
    const fresh = (await within(mailbox, mailbox.list(`${seen + 1}:*`))).filter(({ uid }) => uid > seen);
    for (const gone of owed.filter((uid) => !again.some((mail) => mail.uid === uid))) {
      await cursor.note(gone, 'left');
    }
    for (const { uid, received } of fresh) {
      const last = watched && uid === fresh.at(-1)?.uid;
      if (received !== '') this.#options.received?.(Date.parse(received), last);
    }
    for (const mail of [...again, ...fresh]) {
      if (this.#closed) return;
      await within(mailbox, this.#take(mailbox, mail));
    }
    await cursor.flush();
    this.#tellLeft();
    await within(mailbox, this.#tellFull(mailbox));
  }

  async #take(mailbox: Mailbox, mail: ListedMail): Promise<void> {
    const { limit } = this.#options;
    if (this.#cursor.wasBefore(mail)) return this.#cursor.note(mail.uid, 'left');
    if (mail.size > limit) return this.#leaveLarge(mailbox, mail);
    const bytes = await this.#fetch(mailbox, mail.uid);
    if (bytes === 'owed') return this.#cursor.note(mail.uid, 'owed');
    if (bytes === undefined) return this.#cursor.note(mail.uid, 'left');
    // The size is what the server says it is; the bytes are.
    if (bytes.length > limit) return this.#leaveLarge(mailbox, mail);
    await this.#handOver(bytes);
    await this.#cursor.note(mail.uid, 'taken');
    this.#failures = 0; // a connection that brought something was none that failed
    await this.#putAway(mailbox);
  }

  /** A mail that the server does not give keeps none of the others waiting: it is asked for again in the next round. */
  async #fetch(mailbox: Mailbox, uid: number): Promise<Uint8Array | undefined | 'owed'> {
    try {
      return await mailbox.fetch(uid, this.#options.limit);
    } catch (error) {
      if (!mailbox.usable) throw error;
      this.#options.log('pick-up: the server did not give a mail; it is asked for again');
      return 'owed';
    }
  }

  async #handOver(bytes: Uint8Array): Promise<void> {
    const { take, settings } = this.#options;
    const findings = providerFindings(bytes, this.#receiver);
    const id = sha256(bytes).slice(0, 40);
    try {
      await take({ id, bytes, host: settings.host, ...findings });
    } catch (cause) {
      const text = `mail \`${id}\` was picked up and could not be stored; it is fetched again`;
      throw new CaregateError('STORE_UNAVAILABLE', text, { cause });
    }
  }

  async #leaveLarge(mailbox: Mailbox, { uid, size, received }: ListedMail): Promise<void> {
    const { log } = this.#options;
    log(`pick-up: a mail of ${size} bytes, received ${received}, is too large and stays in the mailbox`);
    await this.#cursor.note(uid, 'large');
    await mailbox.sayLarge(uid);
  }

  /** Marks what is taken, or moves it. What cannot be marked now is tried again in the next round. */
  async #putAway(mailbox: Mailbox): Promise<void> {
    const { log, troubles } = this.#options;
    this.#refused = undefined;
    for (const uid of this.#cursor.unmarked) {
      const problem = await mailbox.putAway(uid);
      if (problem === undefined) {
        this.#cursor.marked(uid);
        continue;
      }
      if (!mailbox.usable) return;
      this.#refused = problem.trouble;
      log(`pick-up: a taken mail could not be put away: ${problemDetails[problem.detail]}`);
      troubles.report(problem.trouble, problem.detail);
      return;
    }
    troubles.clear('mailbox-folder-missing', 'mailbox-not-writable');
  }

  /** A full mailbox turns new mail away, which the household should know before it asks for it. */
  async #tellFull(mailbox: Mailbox): Promise<void> {
    const { troubles } = this.#options;
    if (await mailbox.isFull()) troubles.report('mailbox-full', 'quota');
    else if (this.#refused !== 'mailbox-full') troubles.clear('mailbox-full');
  }

  /** Says how many mails lie in the mailbox that could not be taken. */
  #tellLeft(): void {
    const { troubles } = this.#options;
    const count = this.#cursor.owed.length + this.#cursor.large.length;
    if (count > 0) troubles.report('mailbox-mail-unreadable', String(count));
    else troubles.clear('mailbox-mail-unreadable');
  }

  /** Waits for a time by the clock, for what is waited for besides, or for the end, whichever comes first. */
  async #until(time: number, besides?: Promise<void>): Promise<void> {
    let cancel = (): void => {};
    const due = new Promise<void>((resolve) => {
      cancel = this.#options.clock.at(time, resolve);
    });
    await Promise.race([due, this.#stopped, ...(besides === undefined ? [] : [besides])]);
    cancel();
  }
}

/** Ends a connection whose server goes on saying something, and never what it was asked for. */
async function within<T>(mailbox: Mailbox, work: Promise<T>): Promise<T> {
  const late = setTimeout(() => mailbox.close(), longestStep);
  try {
    return await work;
  } finally {
    clearTimeout(late);
  }
}
