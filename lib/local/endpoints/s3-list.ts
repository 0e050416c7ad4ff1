import { ServiceFault } from './fault.ts';
import type { Bucket } from './s3-bucket.ts';
import type { ObjectFile } from './s3-object.ts';
import { compareKeys } from './s3-order.ts';
import type { ServiceResponse } from './service.ts';
import { element } from './xml.ts';

/** The most that one page lists, as on S3. */
const pageLimit = 1000;
const root = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

/** Where a page went up to: a key, or all the keys under a common prefix. */
type Place = { readonly key: string } | { readonly under: string };

interface Page {
  readonly keys: string[];
  readonly prefixes: string[];
  /** Where to go on, if there is more. */
  readonly next?: Place;
}

/** ListObjectsV2: keys in the order of their UTF-8 bytes, grouped by a delimiter, page by page. */
export function listObjects(bucket: Bucket, name: string, query: URLSearchParams): ServiceResponse {
  const limit = pageSize(query);
  const token = query.get('continuation-token');
  const after = query.get('start-after');
  const start: Place | undefined =
    token !== null ? readToken(token) : after === null ? undefined : { key: after };
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const page = readPage(bucket, prefix, delimiter, start, limit);
  const text = encoding(query);
  return xml('ListBucketResult', [
    element('Name', name),
    element('Prefix', text(prefix)),
    element('KeyCount', page.keys.length + page.prefixes.length),
    element('MaxKeys', limit),
    element('IsTruncated', page.next !== undefined),
    ...optional('Delimiter', text(delimiter)),
    ...optional('StartAfter', text(after ?? '')),
    ...optional('EncodingType', query.get('encoding-type') ?? ''),
    ...optional('ContinuationToken', token ?? ''),
    ...(page.next === undefined ? [] : [element('NextContinuationToken', writeToken(page.next))]),
    ...page.keys.map((key) => element('Contents', contents(bucket.current(key), text))),
    ...page.prefixes.map((common) => element('CommonPrefixes', [element('Prefix', text(common))])),
  ]);
}

/** ListObjectVersions, without a delimiter: every version of every key, the newest first. */
export function listVersions(bucket: Bucket, name: string, query: URLSearchParams): ServiceResponse {
  if (query.has('delimiter')) throw invalid('delimiter', 'versions are listed without one here');
  const limit = pageSize(query);
  const text = encoding(query);
  const prefix = query.get('prefix') ?? '';
  const marker = { key: query.get('key-marker') ?? '', version: query.get('version-id-marker') };
  const found: { file: ObjectFile; latest: boolean }[] = [];
  const first = bucket.keys.first((key) => compareKeys(key, maximum(prefix, marker.key)) >= 0);
  for (let at = first; at < bucket.keys.length && found.length <= limit; at += 1) {
    const key = bucket.keys.at(at) ?? '';
    if (!key.startsWith(prefix)) break;
    for (const [index, file] of versionsAfter(bucket, key, marker).entries()) {
      found.push({ file, latest: index === 0 && file === bucket.current(key) });
    }
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return xml('ListVersionsResult', [
    element('Name', name),
    element('Prefix', text(prefix)),
    element('MaxKeys', limit),
    element('IsTruncated', last !== undefined),
    ...(last === undefined
      ? []
      : [
          element('NextKeyMarker', text(last.file.head.key)),
          element('NextVersionIdMarker', last.file.head.version),
        ]),
    ...page.map(({ file, latest }) =>
      element('Version', [
        ...contents(file, text),
        element('VersionId', file.head.version),
        element('IsLatest', latest),
      ]),
    ),
  ]);
}

function readPage(
  bucket: Bucket,
  prefix: string,
  delimiter: string,
  start: Place | undefined,
  limit: number,
): Page {
  const { keys } = bucket;
  const page: Page = { keys: [], prefixes: [] };
  let last: Place | undefined;
  let at = keys.first((key) => compareKeys(key, prefix) >= 0 && isBeyond(key, start));
  while (at < keys.length) {
    const key = keys.at(at) ?? '';
    if (!key.startsWith(prefix)) break;
    if (page.keys.length + page.prefixes.length === limit)
      return last === undefined ? page : { ...page, next: last };
    const common = commonPrefix(key, prefix, delimiter);
    if (common === undefined) {
      page.keys.push(key);
      last = { key };
      at += 1;
    } else {
      page.prefixes.push(common);
      const place = { under: common };
      last = place;
      at = keys.first((other) => isBeyond(other, place));
    }
  }
  return page;
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '') return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

function isBeyond(key: string, place: Place | undefined): boolean {
  if (place === undefined) return true;
  if ('key' in place) return compareKeys(key, place.key) > 0;
  return compareKeys(key, place.under) > 0 && !key.startsWith(place.under);
}

function versionsAfter(
  bucket: Bucket,
  key: string,
  marker: { key: string; version: string | null },
): readonly ObjectFile[] {
  const versions = bucket.versions(key);
  if (key !== marker.key) return versions;
  const index = versions.findIndex(({ head }) => head.version === marker.version);
  return index < 0 ? [] : versions.slice(index + 1);
}

function contents(file: ObjectFile | undefined, text: (key: string) => string): string[] {
  if (file === undefined) return [];
  const { head } = file;
  return [
    element('Key', text(head.key)),
    element('LastModified', new Date(head.modified).toISOString()),
    element('ETag', `"${head.etag}"`),
    element('Size', head.size),
    element('StorageClass', 'STANDARD'),
  ];
}

function pageSize(query: URLSearchParams): number {
  const text = query.get('max-keys');
  if (text === null) return pageLimit;
  if (!/^\d{1,9}$/.test(text)) throw invalid('max-keys', 'it is not a number from 0');
  return Math.min(pageLimit, Number(text));
}

function encoding(query: URLSearchParams): (text: string) => string {
  const type = query.get('encoding-type');
  if (type === null) return (text) => text;
  if (type !== 'url') throw invalid('encoding-type', 'only `url` is known');
  return (text) => encodeURIComponent(text).replaceAll('%2F', '/');
}

function writeToken(place: Place): string {
  return Buffer.from(JSON.stringify(place), 'utf8').toString('base64url');
}

function readToken(token: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (typeof place === 'object' && place !== null) {
      if ('key' in place && typeof place.key === 'string') return { key: place.key };
      if ('under' in place && typeof place.under === 'string') return { under: place.under };
    }
  } catch {
    // It falls through to the refusal: a token that is not ours is none.
  }
  throw invalid('continuation-token', 'it does not come from a page of this list');
}

function maximum(a: string, b: string): string {
  return compareKeys(a, b) > 0 ? a : b;
}

function optional(name: string, value: string): string[] {
  return value === '' ? [] : [element(name, value)];
}

function xml(name: string, content: readonly string[]): ServiceResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${root}>${content.join('')}</${name}>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function invalid(parameter: string, why: string): ServiceFault {
  return new ServiceFault(400, 'InvalidArgument', `\`${parameter}\` cannot be used: ${why}`);
}
