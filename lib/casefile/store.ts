import {
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { CaregateError } from '../errors.ts';
import { base64Digest, type Sha256, sha256 } from '../provenance/digest.ts';

/** What a read of one object gave: the bytes, their digest computed here, and the version that was read. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly sha256: Sha256;
  readonly version?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was written, as an ISO instant, by the clock of the store. */
  readonly modified?: string | undefined;
}

/** One version of an object, or the marker that it was deleted. */
export interface ObjectVersion {
  readonly key: string;
  readonly deleted: boolean;
}

export interface CreateOptions {
  readonly contentType?: string;
  /** Stored beside the object; carries the attempt that made it. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * - `created`: these bytes are there now, and this call put them there
 * - `same`: these very bytes were there already
 * - `conflict`: something else was there already
 */
export type Creation = { readonly result: 'created' | 'same' | 'conflict'; readonly sha256: Sha256 };

const attempts = 4;

/** Create-once objects in one bucket. Nothing here overwrites or deletes. */
export class ObjectStore {
  readonly #client: S3Client;
  readonly bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.bucket = bucket;
  }

  /**
   * Creates an object if its key is free. A conditional conflict (409) means that nothing landed, so it is tried
   * again; a failed precondition (412) means that something is there, so it is read and compared. Something that is
   * there and cannot be read is no answer either: it is tried again, and then reported.
   * @throws CaregateError `STORE_UNAVAILABLE`
   */
  async create(key: string, bytes: Uint8Array | string, options: CreateOptions = {}): Promise<Creation> {
    const body = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
    const digest = sha256(body);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const status = await this.#put(key, body, digest, options);
      if (status === 200) return { result: 'created', sha256: digest };
      const present = status === 412 ? await this.find(key) : undefined;
      if (present !== undefined) {
        return { result: present.sha256 === digest ? 'same' : 'conflict', sha256: present.sha256 };
      }
    }
    throw unavailable('create', key);
  }

  /**
   * The object, or nothing. Absence without the right to list looks like a refusal (403), and is reported as absent.
   * @throws CaregateError `STORE_UNAVAILABLE`; `DIGEST_MISMATCH` if the bytes are not those of the checksum that was
   *   stored with them
   */
  async find(key: string): Promise<StoredObject | undefined> {
    try {
      const found = await this.#client.send(
        new GetObjectCommand({ Bucket: this.bucket, Key: key, ChecksumMode: 'ENABLED' }),
      );
      const bytes = (await found.Body?.transformToByteArray()) ?? new Uint8Array();
      return {
        key,
        bytes,
        sha256: sha256(bytes),
        version: found.VersionId,
        metadata: found.Metadata ?? {},
        modified: found.LastModified?.toISOString(),
      };
    } catch (error) {
      const status = httpStatus(error);
      if (status === 404 || status === 403) return undefined;
      if (isChecksumMismatch(error)) throw damaged(key, error);
      throw unavailable('read', key, error);
    }
  }

  /** @throws CaregateError `NOT_FOUND`, and as {@link find} */
  async read(key: string): Promise<StoredObject> {
    const found = await this.find(key);
    if (found === undefined) throw new CaregateError('NOT_FOUND', `object \`${key}\` does not exist`);
    return found;
  }

  /**
   * Every key under a prefix, in the order of S3: by UTF-8 bytes.
   * @throws CaregateError `STORE_UNAVAILABLE`
   */
  async list(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: prefix,
        ContinuationToken: token,
      });
      const page = await this.#client.send(command).catch((error: unknown) => {
        throw unavailable('list', prefix, error);
      });
      for (const object of page.Contents ?? []) if (object.Key !== undefined) keys.push(object.Key);
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  /**
   * Every version under a prefix, deletions too. Only an auditor may ask: an object here has one version for ever.
   * @throws CaregateError `STORE_UNAVAILABLE`
   */
  async versions(prefix: string): Promise<ObjectVersion[]> {
    const found: ObjectVersion[] = [];
    let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
    while (from !== undefined) {
      const command = new ListObjectVersionsCommand({ Bucket: this.bucket, Prefix: prefix, ...from });
      const page: ListObjectVersionsCommandOutput = await this.#client
        .send(command)
        .catch((error: unknown) => {
          throw unavailable('list', prefix, error);
        });
      for (const { Key } of page.Versions ?? [])
        if (Key !== undefined) found.push({ key: Key, deleted: false });
      for (const { Key } of page.DeleteMarkers ?? [])
        if (Key !== undefined) found.push({ key: Key, deleted: true });
      const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
      from = page.IsTruncated === true ? { KeyMarker, VersionIdMarker } : undefined;
    }
    return found;
  }

  async #put(key: string, body: Uint8Array, digest: Sha256, options: CreateOptions): Promise<number> {
    try {
      await this.#client.send(
        new PutObjectCommand({
          Bucket: this.bucket,
          Key: key,
          Body: body,
          IfNoneMatch: '*',
          ChecksumSHA256: base64Digest(digest),
          ContentType: options.contentType ?? 'application/octet-stream',
          Metadata: { ...options.metadata },
        }),
      );
      return 200;
    } catch (error) {
      const status = httpStatus(error);
      if (status === 412 || status === 409) return status;
      throw unavailable('create', key, error);
    }
  }
}

/** The part of a store that cannot change anything. */
export type ObjectReader = Pick<ObjectStore, 'find' | 'read' | 'list'>;

function httpStatus(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function unavailable(verb: string, key: string, cause?: unknown): CaregateError {
  return new CaregateError('STORE_UNAVAILABLE', `could not ${verb} object \`${key}\`; try again later`, {
    cause,
  });
}

// The SDK compares the bytes with the checksum that S3 returns, and has no class of its own for the outcome.
function isChecksumMismatch(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Checksum mismatch');
}

function damaged(key: string, cause: unknown): CaregateError {
  return new CaregateError(
    'DIGEST_MISMATCH',
    `object \`${key}\` is not what was stored; restore it from a backup`,
    { cause },
  );
}
