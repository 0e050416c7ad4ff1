import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ObjectStore } from '../../lib/casefile/store.ts';
import { ServiceFault } from '../../lib/local/endpoints/fault.ts';
import type { PutFault } from '../../lib/local/endpoints/s3-put.ts';
import type { Service, ServiceRequest } from '../../lib/local/endpoints/service.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { clientConfig, forEach, serve, startS3 } from '../support/endpoints.ts';

const Bucket = 'case-files';

async function openStore(faults: readonly (PutFault | undefined)[] = [], maxAttempts = 1) {
  let puts = 0;
  const bench = await startS3({ faults: () => faults[puts++], maxAttempts });
  await bench.client.send(new CreateBucketCommand({ Bucket }));
  return { ...bench, store: new ObjectStore(bench.client, Bucket), puts: () => puts };
}

/** S3 that answers every request in one way, as a policy or an outage would. */
async function storeAgainst(answer: (request: ServiceRequest) => ServiceFault) {
  const requests: ServiceRequest[] = [];
  const service: Service = {
    name: 's3',
    handle: (request) => {
      requests.push(request);
      return Promise.reject(answer(request));
    },
  };
  const { url } = await serve(service);
  const client = new S3Client({ ...clientConfig(url), forcePathStyle: true });
  onTestFinished(() => client.destroy());
  return { store: new ObjectStore(client, Bucket), requests };
}

const denied = () => new ServiceFault(403, 'AccessDenied', 'denied');
const preconditionFailed = () => new ServiceFault(412, 'PreconditionFailed', 'something is there');

describe('create', () => {
  it('creates, and says with which digest', async () => {
    const { store } = await openStore();
    expect(await store.create('k', 'text')).toEqual({ result: 'created', sha256: sha256('text') });
    expect(await store.read('k')).toMatchObject({ key: 'k', sha256: sha256('text') });
  });

  it('finds the same bytes to be the same, be they text or bytes', async () => {
    const { store } = await openStore();
    await store.create('k', 'text');
    expect(await store.create('k', new TextEncoder().encode('text'))).toEqual({
      result: 'same',
      sha256: sha256('text'),
    });
  });

  it('finds other bytes to be a conflict, says which are there, and leaves them', async () => {
    const { store } = await openStore();
    await store.create('k', 'first');
    expect(await store.create('k', 'second')).toEqual({ result: 'conflict', sha256: sha256('first') });
    expect(new TextDecoder().decode((await store.read('k')).bytes)).toBe('first');
  });

  it('has one that created among 20 that race with the same bytes, and one among 20 with others', async () => {
    const { store } = await openStore();
    const same = await Promise.all(Array.from({ length: 20 }, () => store.create('same', 'x')));
    expect(same.map(({ result }) => result).sort()).toEqual(['created', ...Array(19).fill('same')]);
    const other = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.create('other', `${index}`)),
    );
    expect(other.map(({ result }) => result).sort()).toEqual([...Array(19).fill('conflict'), 'created']);
    expect(new Set(other.map(({ sha256: digest }) => digest)).size).toBe(1);
  });

  it('keeps the type and the metadata, such as the attempt that made it', async () => {
    const { store, client } = await openStore();
    await store.create('k', '{}', { contentType: 'application/json', metadata: { attempt: 'a1' } });
    expect(await store.read('k')).toMatchObject({ metadata: { attempt: 'a1' }, version: expect.any(String) });
    const object = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }));
    expect(object.ContentType).toBe('application/json');
  });

  it('stores a checksum that every later read is held to', async () => {
    const { store, client } = await openStore();
    await store.create('k', 'text');
    const object = await client.send(new GetObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }));
    expect(object.ChecksumSHA256).toBe(Buffer.from(sha256('text'), 'hex').toString('base64'));
  });

  it('tries again after a conflict of conditional writes, since nothing landed', async () => {
    const conflict = 'ConditionalRequestConflict';
    const { store, puts } = await openStore([conflict, conflict, conflict]);
    expect((await store.create('k', 'text')).result).toBe('created');
    expect(puts()).toBe(4);
  });

  it('gives up after four conflicts', async () => {
    const { store, puts } = await openStore(Array(9).fill('ConditionalRequestConflict'));
    await expect(store.create('k', 'text')).toFailWithCode('STORE_UNAVAILABLE');
    expect(puts()).toBe(4);
    expect(await store.find('k')).toBeUndefined();
  });

  it('takes its own object for the same when the reply was lost and the client tried again', async () => {
    const { store, puts } = await openStore(['ReplyLost'], 2);
    expect(await store.create('k', 'text')).toEqual({ result: 'same', sha256: sha256('text') });
    expect(puts()).toBe(2);
  });

  it('fails closed where it may not write', async () => {
    const { store, requests } = await storeAgainst(denied);
    await expect(store.create('k', 'text')).toFailWithCode('STORE_UNAVAILABLE');
    expect(requests).toHaveLength(1);
  });

  it('fails closed where something is there that it may not read', async () => {
    const { store } = await storeAgainst(({ method }) =>
      method === 'PUT' ? preconditionFailed() : denied(),
    );
    await expect(store.create('k', 'text')).toFailWithCode('STORE_UNAVAILABLE');
  });

  it('fails where no S3 answers', async () => {
    const client = new S3Client({ ...clientConfig('http://127.0.0.1:1'), forcePathStyle: true });
    const store = new ObjectStore(client, Bucket);
    await expect(store.create('k', 'text')).toFailWithCode('STORE_UNAVAILABLE');
    await expect(store.find('k')).toFailWithCode('STORE_UNAVAILABLE');
    await expect(store.list('')).toFailWithCode('STORE_UNAVAILABLE');
    await expect(store.versions('')).toFailWithCode('STORE_UNAVAILABLE');
  });
});

describe('find', () => {
  it('finds nothing where nothing is, and nothing where S3 refuses to say', async () => {
    const { store } = await openStore();
    expect(await store.find('absent')).toBeUndefined();
    const { store: mayNotList } = await storeAgainst(denied);
    expect(await mayNotList.find('absent')).toBeUndefined();
  });

  it('does not take an outage for absence', async () => {
    const { store } = await storeAgainst(() => new ServiceFault(503, 'SlowDown', 'slow down'));
    await expect(store.find('k')).toFailWithCode('STORE_UNAVAILABLE');
  });

  it('reads an empty object as one', async () => {
    const { store } = await openStore();
    await store.create('empty', '');
    expect(await store.find('empty')).toMatchObject({ bytes: new Uint8Array(), sha256: sha256('') });
  });

  it('notices bytes that were changed where they lie', async () => {
    const { store, directory } = await openStore();
    await store.create('k', 'the first text');
    const [name = ''] = await readdir(join(directory, Bucket));
    const file = join(directory, Bucket, name);
    await writeFile(file, (await readFile(file, 'utf8')).replace('the first text', 'another text!!'));
    await expect(store.find('k')).toFailWithCode('DIGEST_MISMATCH');
    await expect(store.read('k')).rejects.toThrow('`k`');
  });
});

describe('read', () => {
  it('names the key that does not exist', async () => {
    const { store } = await openStore();
    await expect(store.read('circles/x/case.json')).toFailWithCode('NOT_FOUND');
    await expect(store.read('circles/x/case.json')).rejects.toThrow('`circles/x/case.json`');
  });
});

describe('list', () => {
  it('gives every key under a prefix, over several pages, in order', async () => {
    const { store, client } = await openStore();
    const keys = Array.from({ length: 1001 }, (_, index) => `a/${String(index).padStart(4, '0')}`);
    const put = (Key: string) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }));
    await forEach([...keys, 'b/1', 'a'], put);
    expect(await store.list('a/')).toEqual(keys);
    expect(await store.list('c/')).toEqual([]);
    expect(await store.versions('a/')).toEqual(keys.map((key) => ({ key, deleted: false })));
  }, 120_000);
});

describe('versions', () => {
  it('show an object that was written over', async () => {
    const { store, client } = await openStore();
    await store.create('k', 'first');
    const { ETag } = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'second', IfMatch: ETag }));
    expect(await store.versions('')).toEqual([
      { key: 'k', deleted: false },
      { key: 'k', deleted: false },
    ]);
  });

  it('show a deletion', async () => {
    const xml =
      '<ListVersionsResult><IsTruncated>false</IsTruncated><DeleteMarker><Key>k</Key><VersionId>v</VersionId><IsLatest>true</IsLatest></DeleteMarker></ListVersionsResult>';
    const { url } = await serve({ name: 's3', handle: async () => ({ status: 200, body: xml }) });
    const client = new S3Client({ ...clientConfig(url), forcePathStyle: true });
    onTestFinished(() => client.destroy());
    expect(await new ObjectStore(client, Bucket).versions('')).toEqual([{ key: 'k', deleted: true }]);
  });
});
