import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CaregateError } from '../../errors.ts';
import type { Clock } from '../../provenance/clock.ts';
import { ServiceFault } from './fault.ts';
import { Bucket } from './s3-bucket.ts';
import { getObject } from './s3-get.ts';
import { listObjects, listVersions } from './s3-list.ts';
import { type PutFault, putObject } from './s3-put.ts';
import type { Service, ServiceRequest, ServiceResponse } from './service.ts';

/** What S3 tells of a new object. The key is plain text here, not URL-encoded as in S3's own event. */
export interface ObjectCreated {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
}

export interface S3Options {
  /** Where the buckets lie; made if there is none. */
  readonly directory: string;
  readonly clock: Clock;
  /** Told of each new object or version after it is durable. */
  readonly onCreated?: (event: ObjectCreated) => void;
  /** For tests: asked before each PutObject. */
  readonly faults?: (put: { readonly bucket: string; readonly key: string }) => PutFault | undefined;
}

const bucketName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/**
 * S3 on a directory, path style: objects are created once or replaced under a condition, never deleted, and each is on
 * disk before its write is answered. Whatever else S3 can do is refused by name.
 * @throws CaregateError `DATA_DIRECTORY_INVALID`
 */
export async function s3Service(options: S3Options): Promise<Service> {
  const buckets = await openBuckets(options.directory);
  return {
    name: 's3',
    handle: (request) => {
      const { bucket, key } = parsePath(request.path);
      return key === ''
        ? bucketOperation(buckets, bucket, request, options)
        : objectOperation(buckets, bucket, key, request, options);
    },
  };
}

async function openBuckets(directory: string): Promise<Map<string, Bucket>> {
  const buckets = new Map<string, Bucket>();
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) buckets.set(name, await Bucket.open(join(directory, name)));
  } catch (error) {
    if (error instanceof CaregateError) throw error;
    throw new CaregateError(
      'DATA_DIRECTORY_INVALID',
      `data directory \`${directory}\` cannot be used; name one that can be written`,
      { cause: error },
    );
  }
  return buckets;
}

async function bucketOperation(
  buckets: Map<string, Bucket>,
  name: string,
  request: ServiceRequest,
  { directory }: S3Options,
): Promise<ServiceResponse> {
  const { method, query } = request;
  if (method === 'PUT' && query.size === 0) return createBucket(buckets, name, directory);
  const bucket = existing(buckets, name);
  if (method === 'GET' && query.get('list-type') === '2') return listObjects(bucket, name, query);
  if (method === 'GET' && query.has('versions')) return listVersions(bucket, name, query);
  if (method === 'HEAD') return { status: 200, headers: { 'content-length': '0' } };
  if (method === 'DELETE' || (method === 'POST' && query.has('delete'))) throw noDeletion();
  throw notImplemented(method, query);
}

async function objectOperation(
  buckets: Map<string, Bucket>,
  name: string,
  key: string,
  request: ServiceRequest,
  options: S3Options,
): Promise<ServiceResponse> {
  const { method, query } = request;
  const bucket = existing(buckets, name);
  if (method === 'DELETE') throw noDeletion();
  const unserved = [...query.keys()].some((parameter) => parameter !== 'x-id' && parameter !== 'versionId');
  if (unserved) throw notImplemented(method, query);
  if (method === 'GET' || method === 'HEAD') return getObject(bucket, key, request);
  if (method !== 'PUT') throw notImplemented(method, query);
  const fault = options.faults?.({ bucket: name, key });
  const { response, created } = await putObject(bucket, key, request, options.clock.now(), fault);
  if (created !== undefined) options.onCreated?.({ bucket: name, key, size: created.size });
  return response;
}

async function createBucket(
  buckets: Map<string, Bucket>,
  name: string,
  directory: string,
): Promise<ServiceResponse> {
  if (!bucketName.test(name)) {
    throw new ServiceFault(400, 'InvalidBucketName', 'a bucket is named by 3 to 63 of a-z, 0-9 and hyphens');
  }
  if (buckets.has(name)) {
    throw new ServiceFault(409, 'BucketAlreadyOwnedByYou', `bucket \`${name}\` exists already`);
  }
  buckets.set(name, await Bucket.open(join(directory, name)));
  return { status: 200, headers: { location: `/${name}` } };
}

/** The path was signed as it came; only here are its bucket and key decoded. Dots and slashes in a key mean nothing. */
function parsePath(path: string): { bucket: string; key: string } {
  const end = path.indexOf('/', 1);
  const bucket = decodeURIComponent(end < 0 ? path.slice(1) : path.slice(1, end));
  const key = end < 0 ? '' : decodeURIComponent(path.slice(end + 1));
  if (Buffer.byteLength(key) > 1024) {
    throw new ServiceFault(400, 'KeyTooLongError', 'the key is longer than 1024 bytes');
  }
  return { bucket, key };
}

function existing(buckets: Map<string, Bucket>, name: string): Bucket {
  const bucket = buckets.get(name);
  if (bucket === undefined) throw new ServiceFault(404, 'NoSuchBucket', `bucket \`${name}\` does not exist`);
  return bucket;
}

function noDeletion(): ServiceFault {
  return new ServiceFault(403, 'AccessDenied', 'no role may delete what a case decided on');
}

function notImplemented(method: string, query: URLSearchParams): ServiceFault {
  const what = [method, ...query.keys()].join(' ');
  return new ServiceFault(501, 'NotImplemented', `\`${what}\` is not served here`);
}
