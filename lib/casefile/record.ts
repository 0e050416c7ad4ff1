import type * as z from 'zod';
import { CaregateError } from '../errors.ts';
import { canonicalJson } from '../provenance/canonical.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { ObjectReader, ObjectStore } from './store.ts';

/** What a state machine carries instead of content: where it lies, and what it must be. */
export interface Pointer {
  readonly key: string;
  readonly sha256: Sha256;
}

/**
 * Writes a record once, as canonical JSON.
 * @throws CaregateError `CREATE_CONFLICT` if the key holds something else
 */
export async function writeRecord(store: ObjectStore, key: string, value: unknown): Promise<Pointer> {
  const created = await store.create(key, canonicalJson(value), { contentType: 'application/json' });
  if (created.result === 'conflict') {
    throw new CaregateError(
      'CREATE_CONFLICT',
      `record \`${key}\` exists already and is another; nothing was written`,
    );
  }
  return { key, sha256: created.sha256 };
}

/**
 * Reads a record and checks it: the digest, where a pointer is given, and the schema.
 * @throws CaregateError `NOT_FOUND`, `DIGEST_MISMATCH`, `INVALID_INPUT`
 */
export async function readRecord<T>(
  store: Pick<ObjectReader, 'read'>,
  at: Pointer | string,
  schema: z.ZodType<T>,
): Promise<T> {
  const key = typeof at === 'string' ? at : at.key;
  const object = await store.read(key);
  if (typeof at !== 'string' && object.sha256 !== at.sha256) {
    throw new CaregateError(
      'DIGEST_MISMATCH',
      `record \`${key}\` is not what was recorded; run \`caregate audit\``,
    );
  }
  return parseRecord(key, object.bytes, schema);
}

/** The record, or nothing if the key is free. */
export async function findRecord<T>(
  store: Pick<ObjectReader, 'find'>,
  key: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const object = await store.find(key);
  return object === undefined ? undefined : parseRecord(key, object.bytes, schema);
}

function parseRecord<T>(key: string, bytes: Uint8Array, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new CaregateError('INVALID_INPUT', `record \`${key}\` is not JSON`, { cause: error });
  }
  const result = schema.safeParse(value);
  if (!result.success) {
    throw new CaregateError('INVALID_INPUT', `record \`${key}\` does not have the form of its kind`, {
      cause: result.error,
    });
  }
  return result.data;
}
