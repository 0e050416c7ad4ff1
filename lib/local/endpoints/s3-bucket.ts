import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nameOnce, syncDirectory, writeSynced } from './durable.ts';
import { encodeHead, type ObjectFile, type ObjectHead, readBytes, readHead } from './s3-object.ts';
import { SortedKeys } from './s3-order.ts';

/** What a new version is made of; the bucket adds which version it is. */
export type NewObject = Omit<ObjectHead, 'sequence' | 'version'>;

/**
 * One bucket as a directory: a file for each version of each object, named by the SHA-256 of the key, so that no key,
 * whatever it holds, names anything else. A version appears in one step, whole and on disk, or not at all, and its file
 * never changes afterwards. The current version is the one of the highest number.
 */
export class Bucket {
  readonly #directory: string;
  readonly #versions = new Map<string, readonly ObjectFile[]>();
  #keys = new SortedKeys();
  #temporaries = 0;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens a bucket's directory, which is made if there is none, and drops what a crash left half written. */
  static async open(directory: string): Promise<Bucket> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const bucket = new Bucket(directory);
    bucket.#load();
    return bucket;
  }

  /** The keys that hold an object, in S3's order. */
  get keys(): SortedKeys {
    return this.#keys;
  }

  /** The versions of a key, the current one first; none if the key is free. */
  versions(key: string): readonly ObjectFile[] {
    return this.#versions.get(key) ?? [];
  }

  current(key: string): ObjectFile | undefined {
    return this.versions(key)[0];
  }

  /** Bytes `from` (inclusive) to `to` (exclusive) of a version. */
  read({ head, offset }: ObjectFile, from: number, to: number): Promise<Uint8Array> {
    return readBytes(this.#path(head.key, head.sequence), offset, from, to);
  }

  /**
   * Creates an object.
   * @returns the new version, or nothing if the key was taken
   */
  create(object: NewObject, body: Uint8Array): Promise<ObjectHead | undefined> {
    return this.#add(object, body, 1);
  }

  /**
   * Replaces the current version, which stays readable as an older one.
   * @returns the new version, or nothing if the current one is not of this ETag, or another call replaced it
   */
  async replace(object: NewObject, body: Uint8Array, etag: string): Promise<ObjectHead | undefined> {
    const current = this.current(object.key);
    if (current === undefined || current.head.etag !== etag) return undefined;
    return this.#add(object, body, current.head.sequence + 1);
  }

  async #add(object: NewObject, body: Uint8Array, sequence: number): Promise<ObjectHead | undefined> {
    const file = withVersion(object, sequence);
    this.#temporaries += 1;
    const temporary = join(this.#directory, `new-${process.pid}-${this.#temporaries}`);
    await writeSynced(temporary, encodeHead(file.head), body);
    if (!(await nameOnce(temporary, this.#path(object.key, sequence)))) return undefined;
    await this.#sync();
    this.#remember(file);
    this.#keys.add(object.key);
    return file.head;
  }

  #load(): void {
    const files: ObjectFile[] = [];
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (name.startsWith('new-')) rmSync(path, { force: true });
      else files.push(readHead(path));
    }
    files.sort((a, b) => a.head.sequence - b.head.sequence);
    for (const file of files) this.#remember(file);
    this.#keys = SortedKeys.of(this.#versions.keys());
  }

  #remember(file: ObjectFile): void {
    this.#versions.set(file.head.key, [file, ...this.versions(file.head.key)]);
  }

  /**
   * A new name is durable only when its directory is. One sync serves all names that were there when it began, so
   * writes that come together wait for one, not each for its own.
   */
  #sync(): Promise<void> {
    // What the one before could not do was told to those who waited for it.
    const before = this.#running.catch(() => undefined);
    this.#next ??= before.then(() => {
      this.#next = undefined;
      this.#running = syncDirectory(this.#directory);
      return this.#running;
    });
    return this.#next;
  }

  #path(key: string, sequence: number): string {
    const name = createHash('sha256').update(key, 'utf8').digest('hex');
    return join(this.#directory, `${name}.${sequence}`);
  }
}

function withVersion(object: NewObject, sequence: number): ObjectFile {
  const version = createHash('sha256')
    .update(JSON.stringify([object.key, sequence, object.etag, object.modified]))
    .digest('base64url')
    .slice(0, 32);
  const head = { ...object, sequence, version };
  return { head, offset: encodeHead(head).length };
}
