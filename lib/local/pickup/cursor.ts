import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { sha256 } from '../../provenance/digest.ts';
import { replaceSynced } from '../endpoints/durable.ts';
import type { PickupSettings } from './settings.ts';

const uid = z.int().positive();
const cursorSchema = z.strictObject({
  version: z.literal(1),
  /** What gives the UIDs below their meaning (RFC 9051, 2.3.1.1). */
  uidValidity: z.string().regex(/^\d{1,20}$/),
  /** Every mail up to this UID is taken, left out or owed. */
  seen: z.int().nonnegative(),
  /** Mails up to there that could not be fetched yet. */
  owed: z.array(uid),
  /** Taken ones on which the mailbox has no mark yet, or which are still to be moved. */
  unmarked: z.array(uid),
  /** Mails that are larger than the inbox takes: they stay where they are. */
  large: z.array(uid),
  /** Mails up to this UID may have lain there before; those above came later. */
  doubtful: z.int().nonnegative(),
  /** `now`, `all` or a day: what was meant when the mailbox was first looked into. */
  since: z.string(),
});
const beforeSchema = z.array(z.string());
const waitingSchema = z.strictObject({ since: z.iso.datetime() });
type CursorFile = z.infer<typeof cursorSchema>;

/** What tells an old mail from a new one when its UID does not: when the mailbox got it, and its size. */
export interface Fingerprinted {
  readonly received: string;
  readonly size: number;
}

/**
 * How far one mailbox has been picked up, on disk. It is written after the mail is stored and its event kept, so that
 * what an office had under way when it was killed is fetched again; the store knows it then by its bytes.
 */
export class Cursor {
  readonly #file: string;
  readonly #beforeFile: string;
  readonly #waitingFile: string;
  #waiting: string | undefined;
  #state: CursorFile | undefined;
  /** What lay there before, and is not for us: recognised again when UIDs lose their meaning. */
  #before: ReadonlySet<string> = new Set();

  private constructor(file: string) {
    this.#file = `${file}.json`;
    this.#beforeFile = `${file}.before.json`;
    this.#waitingFile = `${file}.waiting.json`;
  }

  /**
   * @param directory where the cursors of the data directory lie; another server, user or folder has one of its own
   * @throws CaregateError `DATA_DIRECTORY_INVALID` for a file that is no cursor: going on without it would take old
   *   mails for new ones
   */
  static async open(
    directory: string,
    { host, user, folder }: Pick<PickupSettings, 'host' | 'user' | 'folder'>,
  ): Promise<Cursor> {
    const name = sha256(Buffer.from(JSON.stringify([host.toLowerCase(), user, folder]))).slice(0, 16);
    const cursor = new Cursor(join(directory, name));
    cursor.#state = await readIfThere(cursor.#file, cursorSchema);
    cursor.#before = new Set(await readIfThere(cursor.#beforeFile, beforeSchema));
    cursor.#waiting = (await readIfThere(cursor.#waitingFile, waitingSchema))?.since;
    return cursor;
  }

  /** Whether the mailbox was looked into before, and with the same intention. */
  begun(since: string): boolean {
    return this.#state !== undefined && (this.#state.since === since || since === 'now');
  }

  /** Since when the mailbox was to be looked into, and did not open, as an ISO instant: what came then is new. */
  get waitingSince(): string | undefined {
    return this.#state === undefined ? this.#waiting : undefined;
  }

  /** Notes that the mailbox did not open at the first start. */
  async wait(since: string): Promise<void> {
    if (this.#state !== undefined || this.#waiting !== undefined) return;
    await this.#write(this.#waitingFile, { since });
    this.#waiting = since;
  }

  isFor(uidValidity: string): boolean {
    return this.#state?.uidValidity === uidValidity;
  }

  get seen(): number {
    return this.#state?.seen ?? 0;
  }

  get owed(): readonly number[] {
    return this.#state?.owed ?? [];
  }

  get unmarked(): readonly number[] {
    return this.#state?.unmarked ?? [];
  }

  get large(): readonly number[] {
    return this.#state?.large ?? [];
  }

  /** Whether a mail lay there before it was ours to look into. */
  wasBefore(mail: Fingerprinted & { readonly uid: number }): boolean {
    return mail.uid <= (this.#state?.doubtful ?? 0) && near(mail).some((each) => this.#before.has(each));
  }

  /**
   * Begins with what lies in the mailbox up to the UID `last`: `before` is not for us, and UIDs up to `seen` need no look.
   */
  async begin(
    uidValidity: string,
    since: string,
    { seen, last, before }: { seen: number; last: number; before: readonly Fingerprinted[] },
  ): Promise<void> {
    this.#before = new Set(before.map(fingerprint));
    await this.#write(this.#beforeFile, [...this.#before]);
    this.#state = { ...fresh(uidValidity, since), seen, doubtful: last };
    await this.flush();
  }

  /**
   * UIDs, up to `last`, mean other mails now: all are looked at again, and known by their bytes or as what lay there
   * before.
   */
  async renumber(uidValidity: string, last: number): Promise<void> {
    this.#state = { ...fresh(uidValidity, this.#state?.since ?? 'all'), doubtful: last };
    await this.flush();
  }

  /** Notes what became of a mail. What was taken, or is too large, is to be marked. */
  async note(mail: number, became: 'taken' | 'large' | 'owed' | 'left'): Promise<void> {
    const state = this.#state;
    if (state === undefined) return;
    const others = state.owed.filter((each) => each !== mail);
    this.#state = {
      ...state,
      seen: Math.max(state.seen, mail),
      owed: became === 'owed' ? [...others, mail] : others,
      unmarked: became === 'taken' ? union(state.unmarked, mail) : state.unmarked,
      large: became === 'large' ? union(state.large, mail) : state.large,
    };
    await this.flush();
  }

  /** Notes that a mail bears its mark. It is on disk with the next mail: marking twice does no harm. */
  marked(mail: number): void {
    if (this.#state === undefined) return;
    this.#state = { ...this.#state, unmarked: this.#state.unmarked.filter((each) => each !== mail) };
  }

  /** Keeps in mind only those large mails that still lie there. */
  retainLarge(there: readonly number[]): void {
    if (this.#state === undefined) return;
    this.#state = { ...this.#state, large: this.#state.large.filter((each) => there.includes(each)) };
  }

  async flush(): Promise<void> {
    if (this.#state !== undefined) await this.#write(this.#file, this.#state);
  }

  async #write(file: string, content: unknown): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceSynced(file, `${JSON.stringify(content)}\n`);
  }
}

async function readIfThere<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CaregateError(
      'DATA_DIRECTORY_INVALID',
      `\`${file}\` does not say how far the mailbox was picked up; take it from a backup, or delete it to begin anew`,
      { cause },
    );
  }
}

function fresh(uidValidity: string, since: string): CursorFile {
  return { version: 1, uidValidity, seen: 0, owed: [], unmarked: [], large: [], doubtful: 0, since };
}

/** A server that reads the time anew, from a file perhaps, may round it another way than before: by this, in seconds. */
const rounding = [0, -1, 1] as const;

function near(mail: Fingerprinted): string[] {
  const time = Date.parse(mail.received);
  if (Number.isNaN(time)) return [fingerprint(mail)];
  return rounding.map((seconds) =>
    fingerprint({ ...mail, received: new Date(time + seconds * 1000).toISOString() }),
  );
}

function fingerprint({ received, size }: Fingerprinted): string {
  return `${received} ${size}`;
}

function union(uids: readonly number[], one: number): number[] {
  return uids.includes(one) ? [...uids] : [...uids, one];
}
