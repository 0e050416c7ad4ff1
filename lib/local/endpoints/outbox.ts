import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { nameOnce, readIntact, syncDirectory, writeSynced } from './durable.ts';

const envelopeSchema = z.strictObject({
  /** The SES message id. */
  id: z.string().regex(/^[\w-]+$/),
  /** ISO instant at which the mail was accepted. */
  at: z.iso.datetime(),
  source: z.string(),
  destinations: z.array(z.string()),
  tags: z.record(z.string(), z.string()),
  configurationSet: z.string().optional(),
});

/** What is known of a mail beside its bytes. */
export type Envelope = z.infer<typeof envelopeSchema>;

/** A mail that left, with the exact bytes that were handed over. */
export interface SentMail extends Envelope {
  readonly raw: Uint8Array;
}

/** Whether a mail is to the household's own people, and no letter: `notify` tags what it sends. */
export function isNotice({ tags }: Pick<Envelope, 'tags'>): boolean {
  return Object.hasOwn(tags, 'notice');
}

const envelopeFile = /^(\d{6,})-([\w-]+)\.json$/;

/** A mail of an outbox without its bytes. */
export interface KeptMail extends Envelope {
  /** The name of the file with its bytes. */
  readonly file: string;
}

/** What lies in an outbox. */
export interface OutboxListing {
  /** In the order in which they were accepted. */
  readonly mails: readonly KeptMail[];
  /** The ids of mails whose envelope cannot be read: they keep no other mail from leaving. */
  readonly damaged: readonly string[];
}

/**
 * Lists the mails of an outbox folder by their envelopes; none if there is no such folder.
 * @param wanted which mails are listed, by their ids: all of them if nothing is said
 * @throws CaregateError `DATA_DIRECTORY_INVALID` if the folder cannot be read
 */
export async function listOutbox(
  directory: string,
  wanted: (id: string) => boolean = () => true,
): Promise<OutboxListing> {
  const files = (await envelopeFiles(directory)).filter((file) => wanted(idOf(file)));
  const found = await Promise.all(
    files.map(async (name) => ({ name, envelope: await readEnvelope(directory, name) })),
  );
  return {
    mails: found.flatMap(({ name, envelope }) =>
      envelope === undefined ? [] : { ...envelope, file: name.replace(/json$/, 'eml') },
    ),
    damaged: found.flatMap(({ name, envelope }) => (envelope === undefined ? idOf(name) : [])),
  };
}

/**
 * A mail with its bytes.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` if they cannot be read
 */
export async function readKept(directory: string, { file, ...envelope }: KeptMail): Promise<SentMail> {
  const path = join(directory, file);
  const raw = await readFile(path).catch((error: unknown) => {
    throw unusable(path, error);
  });
  return { ...envelope, raw: new Uint8Array(raw) };
}

/** What a header takes at the most, in bytes. */
const longestHead = 65_536;

/**
 * The mails of an outbox folder one after the other, each with the beginning of its bytes alone: all of them, with what
 * is attached to them, may be more than a small machine has room for. What cannot be read is left out.
 * @param wanted as for {@link listOutbox}
 */
export async function* outboxHeads(
  directory: string,
  wanted: (id: string) => boolean,
): AsyncGenerator<SentMail> {
  for (const { file, ...envelope } of (await listOutbox(directory, wanted)).mails) {
    const raw = await readHead(join(directory, file)).catch(() => undefined);
    if (raw !== undefined) yield { ...envelope, raw };
  }
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHead), 0, longestHead, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A folder that keeps every mail: `<number>-<id>.eml` with its exact bytes, and the envelope beside it as JSON. */
export class Outbox {
  readonly #directory: string;
  #number: number;

  private constructor(directory: string, number: number) {
    this.#directory = directory;
    this.#number = number;
  }

  /** Opens the folder, which is made if there is none. */
  static async open(directory: string): Promise<Outbox> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const last = (await envelopeFiles(directory)).at(-1);
      return new Outbox(directory, last === undefined ? 0 : numberOf(last));
    } catch (error) {
      throw unusable(directory, error);
    }
  }

  /** Keeps a mail. The envelope is written last: a mail without one was never accepted. */
  async keep(envelope: Envelope, raw: Uint8Array): Promise<void> {
    this.#number += 1;
    const name = `${String(this.#number).padStart(6, '0')}-${envelope.id}`;
    await this.#write(`${name}.eml`, raw);
    await this.#write(`${name}.json`, `${JSON.stringify(envelope, null, 2)}\n`);
    await syncDirectory(this.#directory);
  }

  async #write(name: string, content: Uint8Array | string): Promise<void> {
    const temporary = join(this.#directory, `${name}.new`);
    await writeSynced(temporary, content);
    await nameOnce(temporary, join(this.#directory, name));
  }
}

async function envelopeFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw unusable(directory, error);
  });
  return names.filter((name) => envelopeFile.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
}

/** The envelope, or nothing where it is damaged. */
async function readEnvelope(directory: string, name: string): Promise<Envelope | undefined> {
  const envelope = await readIntact(join(directory, name), envelopeSchema).catch(() => undefined);
  return envelope?.id === idOf(name) ? envelope : undefined;
}

function idOf(file: string): string {
  return envelopeFile.exec(file)?.[2] ?? '';
}

function numberOf(file: string): number {
  return Number(envelopeFile.exec(file)?.[1] ?? 0);
}

function unusable(path: string, cause: unknown): CaregateError {
  return new CaregateError(
    'DATA_DIRECTORY_INVALID',
    `outbox \`${path}\` cannot be read; restore it from a backup`,
    {
      cause,
    },
  );
}
