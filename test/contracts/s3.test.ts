import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type S3Bench, startS3, temporaryDirectory } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';

const Bucket = 'case-files';
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

async function put(client: S3Client, Key: string, Body: string, more: Partial<PutObjectCommandInput> = {}) {
  return client.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*', ...more }));
}

async function get(client: S3Client, Key: string): Promise<string | undefined> {
  const found = await client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
  return found.Body?.transformToString();
}

function failing(name: string, httpStatusCode: number) {
  return { name, $metadata: { httpStatusCode } };
}

let bench: S3Bench;
let client: S3Client;

beforeEach(async () => {
  bench = await startS3();
  client = bench.client;
  await client.send(new CreateBucketCommand({ Bucket }));
});

describe('PutObject', () => {
  it('lets one of 20 racing creates win, whose bytes stay', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => put(client, 'raced', `body ${index}`)),
    );
    const winners = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject(failing('PreconditionFailed', 412));
    }
    expect(await get(client, 'raced')).toBe(`body ${winners[0]}`);
  });

  it('refuses a write without a condition, be the key free or taken', async () => {
    const unconditional = (Key: string) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    await expect(unconditional('free')).rejects.toMatchObject(failing('AccessDenied', 403));
    await put(client, 'taken', 'first');
    await expect(unconditional('taken')).rejects.toMatchObject(failing('AccessDenied', 403));
    expect(await get(client, 'taken')).toBe('first');
    await expect(get(client, 'free')).rejects.toMatchObject(failing('NoSuchKey', 404));
  });

  it('replaces the version that was read, and no other', async () => {
    const { ETag } = await put(client, 'budget', '1');
    const second = await put(client, 'budget', '2', { IfNoneMatch: undefined, IfMatch: ETag });
    await expect(put(client, 'budget', '3', { IfNoneMatch: undefined, IfMatch: ETag })).rejects.toMatchObject(
      failing('PreconditionFailed', 412),
    );
    await expect(put(client, 'absent', '3', { IfNoneMatch: undefined, IfMatch: ETag })).rejects.toMatchObject(
      failing('NoSuchKey', 404),
    );
    expect(await get(client, 'budget')).toBe('2');
    expect(second.ETag).not.toBe(ETag);
  });

  it('lets one of 20 racing replacements win', async () => {
    const { ETag } = await put(client, 'budget', 'start');
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        put(client, 'budget', `${index}`, { IfNoneMatch: undefined, IfMatch: ETag }),
      ),
    );
    const winners = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(await get(client, 'budget')).toBe(String(winners[0]));
  });

  it('refuses bytes that are not those of the checksum, and keeps nothing of them', async () => {
    for (const wrong of [
      { ChecksumSHA256: sha256('other') },
      { ChecksumCRC32: 'AAAAAA==' },
      { ContentMD5: 'AAAA' },
    ]) {
      await expect(put(client, 'damaged', 'body', wrong)).rejects.toMatchObject(failing('BadDigest', 400));
    }
    await expect(get(client, 'damaged')).rejects.toMatchObject(failing('NoSuchKey', 404));
  });

  it('refuses by name a checksum that it does not serve', async () => {
    await expect(put(client, 'k', 'body', { ChecksumCRC32C: 'AAAAAA==' })).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining('crc32c'),
    });
  });

  it('keeps metadata, content type and standard headers', async () => {
    await put(client, 'k', 'body', {
      Metadata: { attempt: 'a1' },
      ContentType: 'text/calendar',
      ContentDisposition: 'attachment',
      CacheControl: 'no-store',
    });
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }));
    expect(head).toMatchObject({
      Metadata: { attempt: 'a1' },
      ContentType: 'text/calendar',
      ContentDisposition: 'attachment',
      CacheControl: 'no-store',
      ContentLength: 4,
    });
    expect(head.ContentEncoding).toBeUndefined();
  });

  it('reads a stream as the client frames it, with its checksum behind it', async () => {
    const Body = Readable.from([Buffer.from('one '), Buffer.from('two')]);
    await client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'stream',
        Body,
        ContentLength: 7,
        IfNoneMatch: '*',
        ContentEncoding: 'gzip',
      }),
    );
    const found = await client.send(new GetObjectCommand({ Bucket, Key: 'stream', ChecksumMode: 'ENABLED' }));
    expect(await found.Body?.transformToString()).toBe('one two');
    expect(found.ChecksumCRC32).toBeDefined();
    expect(found.ContentEncoding).toBe('gzip');
  });

  it('refuses a body over 64 MiB and goes on serving', async () => {
    const Body = Buffer.alloc(64 * 1024 * 1024 + 1);
    await expect(
      client.send(new PutObjectCommand({ Bucket, Key: 'large', Body, IfNoneMatch: '*' })),
    ).rejects.toThrow();
    await put(client, 'small', 'x');
    expect(await get(client, 'small')).toBe('x');
  });

  it('refuses by name what it does not do', async () => {
    const refused = await Promise.allSettled([
      put(client, 'k', 'x', { IfNoneMatch: '"etag"' }),
      put(client, 'k', 'x', { IfMatch: '"etag"' }),
      client.send(new PutObjectAclCommand({ Bucket, Key: 'k', ACL: 'private' })),
    ]);
    for (const each of refused) {
      expect(each).toMatchObject({ status: 'rejected', reason: failing('NotImplemented', 501) });
    }
    await expect(put(client, 'k', 'x', { Metadata: { a: 'b'.repeat(2048) } })).rejects.toMatchObject(
      failing('MetadataTooLarge', 400),
    );
    await expect(put(client, 'k'.repeat(1025), 'x')).rejects.toMatchObject(failing('KeyTooLongError', 400));
  });
});

describe('PutObject under faults', () => {
  it('answers 409, lands nothing, and takes the next try', async () => {
    const faults = ['ConditionalRequestConflict', 'SlowDown', undefined] as const;
    let asked = 0;
    const faulty = await startS3({ faults: () => faults[asked++] });
    await faulty.client.send(new CreateBucketCommand({ Bucket }));
    await expect(put(faulty.client, 'k', 'x')).rejects.toMatchObject(
      failing('ConditionalRequestConflict', 409),
    );
    await expect(put(faulty.client, 'k', 'x')).rejects.toMatchObject(failing('SlowDown', 503));
    await put(faulty.client, 'k', 'x');
    expect(await get(faulty.client, 'k')).toBe('x');
    expect(asked).toBe(3);
  });

  it('can lose the reply of a write that landed: the repeated write meets its own object', async () => {
    let asked = 0;
    const lossy = await startS3({ faults: () => (asked++ === 0 ? 'ReplyLost' : undefined), maxAttempts: 2 });
    await lossy.client.send(new CreateBucketCommand({ Bucket }));
    await expect(put(lossy.client, 'k', 'x')).rejects.toMatchObject(failing('PreconditionFailed', 412));
    expect(await get(lossy.client, 'k')).toBe('x');
    expect(asked).toBe(2);
  });
});

describe('GetObject', () => {
  it('echoes the checksum that was sent, only when it is asked for', async () => {
    await put(client, 'k', 'body', { ChecksumSHA256: sha256('body') });
    const found = await client.send(new GetObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }));
    expect(found.ChecksumSHA256).toBe(sha256('body'));
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }));
    expect(head.ChecksumSHA256).toBeUndefined();
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
  ])('gives the range %s', async (Range, text, ContentRange) => {
    await put(client, 'k', '0123456789');
    const found = await client.send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
    expect(await found.Body?.transformToString()).toBe(text);
    expect(found).toMatchObject({
      ContentRange,
      ContentLength: text.length,
      $metadata: { httpStatusCode: 206 },
    });
  });

  it('refuses a range outside the object, and ignores one that it does not read', async () => {
    await put(client, 'k', '0123456789');
    const ranged = (Range: string) => client.send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
    await expect(ranged('bytes=10-12')).rejects.toMatchObject(failing('InvalidRange', 416));
    await expect(ranged('bytes=5-3')).rejects.toMatchObject(failing('InvalidRange', 416));
    expect((await ranged('bytes=0-1,3-4')).ContentLength).toBe(10);
  });

  it('honours the conditions of a read', async () => {
    const { ETag } = await put(client, 'k', 'body');
    const read = (more: object) => client.send(new GetObjectCommand({ Bucket, Key: 'k', ...more }));
    expect((await read({ IfMatch: ETag })).ContentLength).toBe(4);
    await expect(read({ IfMatch: '"other"' })).rejects.toMatchObject(failing('PreconditionFailed', 412));
    await expect(read({ IfNoneMatch: ETag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
  });

  it('tells a missing key, version and bucket apart', async () => {
    await put(client, 'k', 'body');
    const read = (more: object) => client.send(new GetObjectCommand({ Bucket, Key: 'k', ...more }));
    await expect(read({ Key: 'absent' })).rejects.toMatchObject(failing('NoSuchKey', 404));
    await expect(read({ VersionId: 'absent' })).rejects.toMatchObject(failing('NoSuchVersion', 404));
    await expect(read({ Bucket: 'absent' })).rejects.toMatchObject(failing('NoSuchBucket', 404));
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'absent' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
  });

  it('keeps an empty object and an object of every byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await put(client, 'empty', '');
    await client.send(new PutObjectCommand({ Bucket, Key: 'bytes', Body: bytes, IfNoneMatch: '*' }));
    expect(await get(client, 'empty')).toBe('');
    const found = await client.send(new GetObjectCommand({ Bucket, Key: 'bytes' }));
    expect(await found.Body?.transformToByteArray()).toEqual(bytes);
  });
});

describe('versions', () => {
  it('give every object one version, and the replaced one stays readable', async () => {
    const first = await put(client, 'budget', '1');
    await put(client, 'other', 'x');
    const second = await put(client, 'budget', '2', { IfNoneMatch: undefined, IfMatch: first.ETag });
    const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    expect(Versions.map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest])).toEqual([
      ['budget', second.VersionId, true],
      ['budget', first.VersionId, false],
      ['other', expect.any(String), true],
    ]);
    const older = await client.send(
      new GetObjectCommand({ Bucket, Key: 'budget', VersionId: first.VersionId }),
    );
    expect(await older.Body?.transformToString()).toBe('1');
  });

  it('are listed page by page, each once', async () => {
    let { ETag } = await put(client, 'b', '0');
    await put(client, 'a', 'x');
    for (const body of ['1', '2', '3']) {
      ({ ETag } = await put(client, 'b', body, { IfNoneMatch: undefined, IfMatch: ETag }));
    }
    const seen: (string | undefined)[] = [];
    let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
    for (;;) {
      const page = await client.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 2, ...markers }));
      seen.push(...(page.Versions ?? []).map(({ VersionId }) => VersionId));
      if (page.IsTruncated !== true) break;
      markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
  });

  it('are listed under a prefix, and refuse a delimiter by name', async () => {
    for (const key of ['a/1', 'b/1', 'b/2', 'c/1']) await put(client, key, 'x');
    const page = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'b/' }));
    expect(page.Versions?.map(({ Key }) => Key)).toEqual(['b/1', 'b/2']);
    await expect(
      client.send(new ListObjectVersionsCommand({ Bucket, Delimiter: '/' })),
    ).rejects.toMatchObject(failing('InvalidArgument', 400));
  });
});

describe('deletion', () => {
  it('is denied to everyone, for one object and for several', async () => {
    await put(client, 'k', 'x');
    await expect(client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))).rejects.toMatchObject(
      failing('AccessDenied', 403),
    );
    await expect(
      client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'k' }] } })),
    ).rejects.toMatchObject(failing('AccessDenied', 403));
    expect(await get(client, 'k')).toBe('x');
  });
});

describe('buckets', () => {
  it('are made once, and found again', async () => {
    await expect(client.send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject(
      failing('BucketAlreadyOwnedByYou', 409),
    );
    expect((await client.send(new HeadBucketCommand({ Bucket }))).$metadata.httpStatusCode).toBe(200);
  });

  it.each(['..', 'Upper', 'a', 'with.dot', 'x'.repeat(64)])(
    'are not made under the name %s',
    async (name) => {
      await expect(client.send(new CreateBucketCommand({ Bucket: name }))).rejects.toThrow();
      expect(readdirSync(bench.directory)).toEqual([Bucket]);
    },
  );
});

describe('keys', () => {
  it.each([
    '../../../etc/passwd',
    '..',
    '.',
    'a/../../b',
    '/absolute',
    'a//b/',
    'nul\u0000byte',
    'line\r\nend',
    'new-1-1',
    'ä/€/😀 +%25&?#',
    '\\..\\windows',
  ])('mean nothing to the disk: %j is one object among others', async (key) => {
    await put(client, key, `body of ${key}`);
    expect(await get(client, key)).toBe(`body of ${key}`);
    expect(readdirSync(bench.directory)).toEqual([Bucket]);
    const { Versions } = await client.send(new ListObjectVersionsCommand({ Bucket, EncodingType: 'url' }));
    expect(Versions?.map(({ Key = '' }) => decodeURIComponent(Key))).toEqual([key]);
  });

  it('of any well-formed text hold their own bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }), async (text) => {
        const key = `run/${text}`;
        await put(client, key, text).catch((error: unknown) => {
          // The same key may be drawn twice; then its bytes are the same too.
          expect(error).toMatchObject(failing('PreconditionFailed', 412));
        });
        expect(await get(client, key)).toBe(text);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a clock of its own', () => {
  it('gives the time of an object, and the client follows it', async () => {
    const clock = new ManualClock('2031-05-06T07:08:09Z');
    const later = await startS3({ clock, maxAttempts: 2 });
    await later.client.send(new CreateBucketCommand({ Bucket }));
    await put(later.client, 'k', 'x');
    const head = await later.client.send(new HeadObjectCommand({ Bucket, Key: 'k' }));
    expect(head.LastModified?.toISOString()).toBe('2031-05-06T07:08:09.000Z');
  });
});

describe('the directory', () => {
  it('holds everything: another service on it knows the same objects', async () => {
    const directory = await temporaryDirectory();
    const before = await startS3({ directory });
    await before.client.send(new CreateBucketCommand({ Bucket }));
    const first = await put(before.client, 'budget', '1', { Metadata: { a: 'b' } });
    await put(before.client, 'budget', '2', { IfNoneMatch: undefined, IfMatch: first.ETag });
    const after = await startS3({ directory });
    expect(await get(after.client, 'budget')).toBe('2');
    const older = await after.client.send(
      new GetObjectCommand({ Bucket, Key: 'budget', VersionId: first.VersionId }),
    );
    expect(older.Metadata).toEqual({ a: 'b' });
    await expect(put(after.client, 'budget', 'x')).rejects.toMatchObject(failing('PreconditionFailed', 412));
  });
});
