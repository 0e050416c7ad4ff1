import {
  CreateBucketCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { forEach, startS3 } from '../support/endpoints.ts';

const Bucket = 'case-files';
let client: S3Client;

beforeEach(async () => {
  ({ client } = await startS3());
  await client.send(new CreateBucketCommand({ Bucket }));
});

async function fill(keys: Iterable<string>): Promise<void> {
  const put = (Key: string) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }));
  await forEach(new Set(keys), put);
}

/** Everything that a listing names, in its order: keys, and common prefixes with a mark. */
async function listAll(input: Partial<ListObjectsV2CommandInput> = {}) {
  const names: string[] = [];
  let pages = 0;
  let token: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket, ...input, ContinuationToken: token }));
    const keys = (page.Contents ?? []).map(({ Key = '' }) => Key);
    const prefixes = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => `${Prefix}*`);
    expect(page.KeyCount).toBe(keys.length + prefixes.length);
    expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
    names.push(...[...keys, ...prefixes].sort(byBytes));
    token = page.NextContinuationToken;
    pages += 1;
  } while (token !== undefined);
  return { names, pages };
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('ListObjectsV2', () => {
  it('gives 1,050 keys in pages of at most 1,000, each key once and in order', async () => {
    const keys = Array.from({ length: 1050 }, (_, index) => `cases/${index}`);
    await fill(keys);
    const { names, pages } = await listAll({ MaxKeys: 5000 });
    expect(pages).toBe(2);
    expect(names).toEqual([...keys].sort(byBytes));
    expect((await listAll({ MaxKeys: 100 })).pages).toBe(11);
    expect((await listAll({ MaxKeys: 105 })).names).toEqual(names);
    const page = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 5000 }));
    expect(page).toMatchObject({ KeyCount: 1000, MaxKeys: 1000, IsTruncated: true });
  }, 120_000);

  it('sorts by UTF-8 bytes, where a code point above all others comes last', async () => {
    // U+FFFD is below U+1F600, but its UTF-16 code unit is above the surrogates of the latter.
    const keys = ['z', 'é', '\u{1F600}', '\uFFFD', 'a', 'A', '~', '\u{10FFFF}'];
    await fill(keys);
    expect((await listAll()).names).toEqual([...keys].sort(byBytes));
    expect((await listAll({ MaxKeys: 1 })).names).toEqual([...keys].sort(byBytes));
  });

  it('groups by a delimiter below a prefix', async () => {
    await fill(['a/1', 'a/b/1', 'a/b/2', 'a/c/1', 'a/c', 'b/1', 'a']);
    expect((await listAll({ Prefix: 'a/', Delimiter: '/' })).names).toEqual(['a/1', 'a/b/*', 'a/c', 'a/c/*']);
    expect((await listAll({ Delimiter: '/' })).names).toEqual(['a', 'a/*', 'b/*']);
    expect((await listAll({ Delimiter: '/', MaxKeys: 1 })).names).toEqual(['a', 'a/*', 'b/*']);
  });

  it('starts after a key, which need not exist', async () => {
    await fill(['a', 'b', 'c', 'd']);
    expect((await listAll({ StartAfter: 'b' })).names).toEqual(['c', 'd']);
    expect((await listAll({ StartAfter: 'bb', MaxKeys: 1 })).names).toEqual(['c', 'd']);
  });

  it('says nothing of an empty prefix, and of no key where none is asked for', async () => {
    await fill(['a', 'b']);
    expect((await listAll({ Prefix: 'c' })).names).toEqual([]);
    const none = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
    expect(none).toMatchObject({ KeyCount: 0, IsTruncated: false, MaxKeys: 0 });
  });

  it('tells size, ETag and time of each object', async () => {
    await fill(['a']);
    const page = await client.send(new ListObjectsV2Command({ Bucket }));
    expect(page.Contents).toMatchObject([
      { Key: 'a', Size: 1, ETag: '"9dd4e461268c8034f5c8564e155c67a6"', LastModified: expect.any(Date) },
    ]);
  });

  it('refuses what it cannot read, by name', async () => {
    const list = (input: object) => client.send(new ListObjectsV2Command({ Bucket, ...input }));
    for (const ContinuationToken of ['forged', 'eyJhIjoxfQ', 'MQ']) {
      await expect(list({ ContinuationToken })).rejects.toMatchObject({
        name: 'InvalidArgument',
        message: expect.stringContaining('continuation-token'),
      });
    }
    await expect(list({ MaxKeys: -1 })).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(list({ EncodingType: 'other' })).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(client.send(new ListObjectsCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });

  it('agrees with sorting and grouping by hand, whatever the keys and the page size', async () => {
    const segment = fc.constantFrom('a', 'b', 'B', 'é', '\uFFFD', '\u{1F600}', '', '..');
    const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `k${parts.join('/')}`);
    const all = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('', 'k', 'ka', 'ka/', 'ké/'),
        fc.boolean(),
        async (keys, MaxKeys, Prefix, grouped) => {
          await fill(keys.filter((each) => !all.has(each)));
          for (const each of keys) all.add(each);
          const below = [...all].filter((each) => each.startsWith(Prefix));
          const name = (each: string) => {
            const end = grouped ? each.indexOf('/', Prefix.length) : -1;
            return end < 0 ? each : `${each.slice(0, end + 1)}*`;
          };
          const expected = [...new Set(below.map(name))].sort(byBytes);
          const { names } = await listAll({ MaxKeys, Prefix, ...(grouped ? { Delimiter: '/' } : {}) });
          // A common prefix carries its mark at the end, which the order of a page must not see.
          expect([...names].sort(byBytes)).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    );
  });
});
