import { createHash } from 'node:crypto';
import { replyLost, ServiceFault } from './fault.ts';
import type { Bucket, NewObject } from './s3-bucket.ts';
import { checksumHeaders, verifyChecksums } from './s3-checksum.ts';
import type { ObjectHead } from './s3-object.ts';
import type { ServiceRequest, ServiceResponse } from './service.ts';

/** What a test may make of a PutObject: S3's 409, S3's 503, or a reply that is lost after the object landed. */
export type PutFault = 'ConditionalRequestConflict' | 'SlowDown' | 'ReplyLost';

/** The headers that S3 keeps with an object and returns as they came. */
const keptHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-amz-object-lock-legal-hold',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-retain-until-date',
];
const metadataPrefix = 'x-amz-meta-';
const metadataLimit = 2048;

/**
 * PutObject. As the deployed bucket policy demands, a write is conditional: `If-None-Match: *` creates,
 * `If-Match` replaces the version that was read; without a condition it is refused.
 */
export async function putObject(
  bucket: Bucket,
  key: string,
  request: ServiceRequest,
  now: number,
  fault: PutFault | undefined,
): Promise<{ response: ServiceResponse; created?: ObjectHead }> {
  refuseUnserved(request.headers);
  const object = describe(key, request, now);
  injectFault(fault);
  const head = await store(bucket, object, request);
  if (fault === 'ReplyLost') return { response: replyLost, created: head };
  const headers = {
    etag: `"${head.etag}"`,
    'x-amz-version-id': head.version,
    ...checksumHeaders(head.checksums),
  };
  return { response: { status: 200, headers }, created: head };
}

async function store(bucket: Bucket, object: NewObject, request: ServiceRequest): Promise<ObjectHead> {
  const { 'if-none-match': absent, 'if-match': match } = request.headers;
  if (absent !== undefined) {
    const created = await bucket.create(object, request.body);
    if (created === undefined) throw preconditionFailed();
    return created;
  }
  if (match !== undefined) {
    if (bucket.current(object.key) === undefined) {
      throw new ServiceFault(404, 'NoSuchKey', 'there is no object to replace under this key');
    }
    const replaced = await bucket.replace(object, request.body, match.replaceAll('"', ''));
    if (replaced === undefined) throw preconditionFailed();
    return replaced;
  }
  throw new ServiceFault(
    403,
    'AccessDenied',
    'the bucket policy demands a condition; send If-None-Match or If-Match',
  );
}

function describe(key: string, { headers, body }: ServiceRequest, now: number): NewObject {
  const kept: Record<string, string> = {};
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(metadataPrefix)) metadata[name.slice(metadataPrefix.length)] = value;
    else if (keptHeaders.includes(name)) kept[name] = value;
  }
  // The framing of the transfer is no property of the object.
  const encoding = kept['content-encoding']?.replace(/(^|,\s*)aws-chunked\s*/, '').replace(/^,\s*/, '');
  if (encoding) kept['content-encoding'] = encoding;
  else delete kept['content-encoding'];
  return {
    key,
    size: body.length,
    etag: createHash('md5').update(body).digest('hex'),
    modified: now,
    contentType: headers['content-type'] ?? 'binary/octet-stream',
    headers: kept,
    metadata,
    checksums: verifyChecksums(headers, body),
  };
}

function refuseUnserved(headers: Readonly<Record<string, string>>): void {
  const absent = headers['if-none-match'];
  if (absent !== undefined && absent !== '*') throw notImplemented('If-None-Match other than *');
  if (absent !== undefined && headers['if-match'] !== undefined) throw notImplemented('both conditions');
  if (headers['x-amz-copy-source'] !== undefined) throw notImplemented('CopyObject');
  if (headers['x-amz-write-offset-bytes'] !== undefined) throw notImplemented('appending');
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith(metadataPrefix));
  const size = metadata.reduce(
    (sum, [name, value]) => sum + name.length - metadataPrefix.length + value.length,
    0,
  );
  if (size > metadataLimit) {
    throw new ServiceFault(400, 'MetadataTooLarge', `the metadata is larger than ${metadataLimit} bytes`);
  }
}

function injectFault(fault: PutFault | undefined): void {
  if (fault === 'ConditionalRequestConflict') {
    throw new ServiceFault(409, fault, 'another conditional write is under way; try again');
  }
  if (fault === 'SlowDown') throw new ServiceFault(503, fault, 'reduce your request rate');
}

function preconditionFailed(): ServiceFault {
  return new ServiceFault(412, 'PreconditionFailed', 'the condition of the write does not hold');
}

function notImplemented(what: string): ServiceFault {
  return new ServiceFault(501, 'NotImplemented', `\`${what}\` is not served here`);
}
