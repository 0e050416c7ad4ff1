import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findRecord, readRecord, writeRecord } from '../../lib/casefile/record.ts';
import { ObjectStore } from '../../lib/casefile/store.ts';
import { canonicalJson } from '../../lib/provenance/canonical.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { startS3 } from '../support/endpoints.ts';

const schema = z.strictObject({ a: z.int(), b: z.string() });
const key = 'circles/c/cases/c-1/record.json';
let store: ObjectStore;

beforeEach(async () => {
  const { client } = await startS3();
  await client.send(new CreateBucketCommand({ Bucket: 'case-files' }));
  store = new ObjectStore(client, 'case-files');
});

describe('a record', () => {
  it('is written as canonical JSON, and pointed to by key and digest', async () => {
    const pointer = await writeRecord(store, key, { b: 'text', a: 1 });
    expect(pointer).toEqual({ key, sha256: sha256('{"a":1,"b":"text"}') });
    expect(new TextDecoder().decode((await store.read(key)).bytes)).toBe(canonicalJson({ a: 1, b: 'text' }));
  });

  it('is written once: the same again is the same, another is refused and changes nothing', async () => {
    const first = await writeRecord(store, key, { a: 1, b: 'x' });
    expect(await writeRecord(store, key, { b: 'x', a: 1 })).toEqual(first);
    await expect(writeRecord(store, key, { a: 2, b: 'x' })).toFailWithCode('CREATE_CONFLICT');
    expect(await readRecord(store, first, schema)).toEqual({ a: 1, b: 'x' });
  });

  it('cannot be written if it has no canonical form', async () => {
    await expect(writeRecord(store, key, { a: Number.NaN })).toFailWithCode('CANONICAL_UNSUPPORTED');
    expect(await store.find(key)).toBeUndefined();
  });

  it('is read by its key, or by a pointer that its bytes must fit', async () => {
    const pointer = await writeRecord(store, key, { a: 1, b: 'x' });
    expect(await readRecord(store, key, schema)).toEqual({ a: 1, b: 'x' });
    expect(await readRecord(store, pointer, schema)).toEqual({ a: 1, b: 'x' });
    await expect(readRecord(store, { key, sha256: sha256('other') }, schema)).toFailWithCode(
      'DIGEST_MISMATCH',
    );
  });

  it('must exist to be read, and need not to be looked for', async () => {
    await expect(readRecord(store, key, schema)).toFailWithCode('NOT_FOUND');
    expect(await findRecord(store, key, schema)).toBeUndefined();
    await writeRecord(store, key, { a: 1, b: 'x' });
    expect(await findRecord(store, key, schema)).toEqual({ a: 1, b: 'x' });
  });

  it.each([
    ['is no JSON', '{'],
    ['is empty', ''],
    ['lacks a member', '{"a":1}'],
    ['has one too many', '{"a":1,"b":"x","c":2}'],
    ['has one of another kind', '{"a":"1","b":"x"}'],
  ])('is refused if what lies there %s', async (_name, text) => {
    await store.create(key, text);
    await expect(readRecord(store, key, schema)).toFailWithCode('INVALID_INPUT');
    await expect(findRecord(store, key, schema)).toFailWithCode('INVALID_INPUT');
  });

  it('is refused if its bytes are not UTF-8', async () => {
    await store.create(key, Uint8Array.from([0x22, 0xff, 0x22]));
    await expect(readRecord(store, key, z.string())).toFailWithCode('INVALID_INPUT');
  });

  it('is named in errors, but not quoted', async () => {
    await store.create(key, '{"a":"a secret"}');
    const failed = readRecord(store, key, schema);
    await expect(failed).rejects.toThrow(key);
    await expect(failed).rejects.not.toThrow('a secret');
  });
});
