import { ImapFlow } from 'imapflow';
import { CaregateError } from '../../errors.ts';
import type { Fingerprinted } from './cursor.ts';
import { type MailboxProblem, problemOf, refusalOf } from './problems.ts';
import type { PickupSettings } from './settings.ts';

/** Gives an access token for the household's account, for a sign-in without a password. */
export type AccessToken = () => Promise<string>;

export interface MailboxAccess {
  readonly settings: PickupSettings;
  readonly token?: AccessToken | undefined;
  /** Certificates in PEM that are trusted besides the system's. */
  readonly ca?: string | undefined;
}

/**
 * Demands a way to sign in.
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function requireSignIn({ settings, token }: MailboxAccess): void {
  if (settings.password !== undefined || token !== undefined) return;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    'setting `CAREGATE_IMAP_URL` has no password; write `imaps://user:password@imap.example`, or sign in with `caregate sign-in`',
  );
}

/** A mail in the mailbox, before anything of it is read. */
export interface ListedMail extends Fingerprinted {
  readonly uid: number;
}

const seconds = 1000;
/** How long signing in and opening the folder may take altogether. */
const longestOpening = 120 * seconds;
/** What one answer of the server may hold: a mail, and what goes around it. */
const answerRoom = 1024 * 1024;

/**
 * One signed-in connection with the household's folder open. It lists, fetches, marks and moves; it has no way to delete
 * or to expunge. All that the server says is somebody else's text and is repeated nowhere.
 */
export class Mailbox {
  readonly uidValidity: string;
  /** The lowest UID that no mail has yet, if the server says it. */
  readonly uidNext: number | undefined;
  readonly idles: boolean;
  /** Whether the server keeps the mark that is asked for. */
  readonly keepsMark: boolean;
  /** Whether the server moves by itself. Without that a move would be a copy and a deletion, which is none of ours. */
  readonly moves: boolean;
  readonly #client: ImapFlow;
  readonly #settings: PickupSettings;
  readonly #refusals: Refusals;
  readonly #anyMark: boolean;
  readonly #waiting = new Set<() => void>();
  #news = false;

  private constructor(client: ImapFlow, settings: PickupSettings, refusals: Refusals) {
    this.#client = client;
    this.#settings = settings;
    this.#refusals = refusals;
    const { capabilities, mailbox } = client;
    const open = mailbox === false ? undefined : mailbox;
    this.uidValidity = String(open?.uidValidity ?? 0);
    this.uidNext = open?.uidNext;
    this.idles = capabilities.has('IDLE');
    this.moves = capabilities.has('MOVE');
    const kept = open?.permanentFlags;
    this.#anyMark = kept === undefined || kept.has('\\*');
    const { mark } = settings;
    this.keepsMark = mark !== undefined && (this.#anyMark || kept?.has(mark) === true);
    client.on('exists', () => this.#tell());
    client.on('close', () => this.#tell());
  }

  /**
   * Signs in and opens the folder.
   * @param limit the size in bytes of the largest mail that will be fetched
   * @throws what {@link problemOf} reads
   */
  static async open({ settings, token, ca }: MailboxAccess, limit: number): Promise<Mailbox> {
    const { host, port, secure, local, user, password, folder } = settings;
    const refusals = new Refusals();
    const client = new ImapFlow({
      host,
      port,
      secure,
      // Left open, a server, or somebody in between, would decide whether the password goes in the clear.
      ...(secure ? {} : { doSTARTTLS: !local }),
      auth: password === undefined ? { user, accessToken: await tokenOf(token) } : { user, pass: password },
      ...(ca === undefined ? {} : { tls: { ca } }),
      disableAutoIdle: true,
      clientInfo: { name: 'Caregate' },
      logger: refusals,
      connectionTimeout: 30 * seconds,
      greetingTimeout: 30 * seconds,
      maxLiteralSize: limit + answerRoom,
      maxResponseSize: limit + 2 * answerRoom,
    });
    // What goes wrong later shows in the next command, and in `close`.
    client.on('error', () => {});
    // A server that says something now and then, and never what it is asked for, is not silent to the library.
    const late = setTimeout(() => client.close(), longestOpening);
    try {
      await client.connect();
      await client.mailboxOpen(folder);
      return new Mailbox(client, settings, refusals);
    } catch (error) {
      client.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Whether the connection still stands. */
  get usable(): boolean {
    return this.#client.usable;
  }

  /** The mails of a set of UIDs, such as `17:*`, in the order of their UIDs. */
  async list(uids: string): Promise<ListedMail[]> {
    this.#news = false;
    const found = new Map<number, ListedMail>();
    const query = { uid: true, size: true, internalDate: true };
    for await (const { uid, size, internalDate } of this.#client.fetch(uids, query, { uid: true })) {
      // In between, a server tells which mails were read elsewhere: without a UID, or once more with nothing else.
      if (!Number.isSafeInteger(uid) || uid < 1 || (found.has(uid) && size === undefined)) continue;
      const time = internalDate === undefined ? Number.NaN : new Date(internalDate).getTime();
      const received = Number.isNaN(time) ? '' : new Date(time).toISOString();
      found.set(uid, { uid, size: size ?? 0, received });
    }
    return [...found.values()].sort((left, right) => left.uid - right.uid);
  }

  /** The UIDs of what the mailbox got before a day (UTC, as a date). */
  async before(day: string): Promise<readonly number[]> {
    const found = await this.#client.search({ before: day }, { uid: true });
    return Array.isArray(found) ? found : [];
  }

  /** Whether the mailbox has a folder of this name. */
  async has(folder: string): Promise<boolean> {
    return (await this.#client.status(folder, { messages: true }).catch(() => false)) !== false;
  }

  /** Whether next to nothing fits in any more, as far as the server tells: what is sent there then comes back. */
  async isFull(): Promise<boolean> {
    const quota = await this.#client.getQuota(this.#settings.folder);
    if (quota === false || quota === undefined) return false;
    return [quota.storage, quota.message].some(
      (resource) => (resource?.limit ?? 0) > 0 && (resource?.usage ?? 0) >= (resource?.limit ?? 0) * 0.99,
    );
  }

  /** A mail's bytes, without marking it as read; nothing if it is gone. One that is longer is cut behind `most`. */
  async fetch(uid: number, most: number): Promise<Uint8Array | undefined> {
    const query = { uid: true, source: { start: 0, maxLength: most + 1 } };
    const mail = await this.#client.fetchOne(String(uid), query, { uid: true });
    return mail === false ? undefined : mail.source;
  }

  /** Marks a mail, then moves it, as far as that is wanted and the server can. @returns what kept it from that */
  async putAway(uid: number): Promise<MailboxProblem | undefined> {
    const { mark, moveTo } = this.#settings;
    const range = String(uid);
    this.#refusals.last = undefined;
    if (mark !== undefined && this.keepsMark) {
      const marked = await this.#client.messageFlagsAdd(range, [mark], { uid: true, silent: true });
      if (!marked) return refusalOf(this.#refusals.last);
    }
    if (moveTo !== undefined && this.moves) {
      const moved = await this.#client.messageMove(range, moveTo, { uid: true });
      if (!moved) return refusalOf(this.#refusals.last, moveTo);
    }
    return undefined;
  }

  /** Says on a mail that it is larger than what is fetched, as far as the server keeps such words. */
  async sayLarge(uid: number): Promise<void> {
    if (this.#anyMark) await this.#client.messageFlagsAdd(String(uid), ['$CaregateTooLarge'], { uid: true });
  }

  /** Resolves once the server told of something, or the connection ended. Listens by IDLE where there is one. */
  news(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#news || !this.#client.usable) return resolve();
      const told = (): void => {
        this.#waiting.delete(told);
        resolve();
      };
      this.#waiting.add(told);
      // It ends when the next command is given, or because the server or the library ended it.
      if (this.idles) this.#client.idle().then(told, told);
    });
  }

  close(): void {
    this.#client.close();
  }

  #tell(): void {
    this.#news = true;
    for (const told of [...this.#waiting]) told();
  }
}

async function tokenOf(token: AccessToken | undefined): Promise<string> {
  return token === undefined ? '' : token();
}

/** Listens to the library's log for the one thing that its answers leave out: why the server refused a command. */
class Refusals {
  last: unknown;
  debug(): void {}
  info(): void {}
  trace(): void {}
  error(): void {}
  warn(entry: { err?: unknown }): void {
    if (entry.err !== undefined) this.last = entry.err;
  }
}
