import { ServiceFault } from './fault.ts';
import type { Bucket } from './s3-bucket.ts';
import { checksumHeaders } from './s3-checksum.ts';
import type { ObjectFile, ObjectHead } from './s3-object.ts';
import type { ServiceRequest, ServiceResponse } from './service.ts';

/** GetObject and HeadObject: the current version or the one named by `versionId`, whole or a range of bytes. */
export async function getObject(
  bucket: Bucket,
  key: string,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const file = find(bucket, key, request.query.get('versionId'));
  const failed = failedCondition(request.headers, file.head);
  if (failed !== undefined) return failed;
  const range = parseRange(request.headers.range, file.head.size);
  const headers = describe(file.head);
  const whole = range === undefined;
  const { from, to } = range ?? { from: 0, to: file.head.size };
  if (whole && request.headers['x-amz-checksum-mode'] === 'ENABLED') {
    Object.assign(headers, checksumHeaders(file.head.checksums));
  }
  headers['content-length'] = String(to - from);
  if (!whole) headers['content-range'] = `bytes ${from}-${to - 1}/${file.head.size}`;
  const status = whole ? 200 : 206;
  if (request.method === 'HEAD') return { status, headers };
  return { status, headers, body: await bucket.read(file, from, to) };
}

function find(bucket: Bucket, key: string, version: string | null): ObjectFile {
  if (version === null) {
    const current = bucket.current(key);
    if (current === undefined) throw new ServiceFault(404, 'NoSuchKey', 'there is no object under this key');
    return current;
  }
  const file = bucket.versions(key).find(({ head }) => head.version === version);
  if (file === undefined)
    throw new ServiceFault(404, 'NoSuchVersion', 'there is no such version of this key');
  return file;
}

function describe(head: ObjectHead): Record<string, string> {
  const headers: Record<string, string> = {
    ...head.headers,
    'accept-ranges': 'bytes',
    'content-type': head.contentType,
    etag: `"${head.etag}"`,
    'last-modified': new Date(head.modified).toUTCString(),
    'x-amz-version-id': head.version,
  };
  for (const [name, value] of Object.entries(head.metadata)) headers[`x-amz-meta-${name}`] = value;
  return headers;
}

function failedCondition(
  headers: Readonly<Record<string, string>>,
  head: ObjectHead,
): ServiceResponse | undefined {
  const { 'if-match': match, 'if-none-match': other } = headers;
  if (match !== undefined && match !== '*' && match.replaceAll('"', '') !== head.etag) {
    throw new ServiceFault(412, 'PreconditionFailed', 'the object is not the one that was asked for');
  }
  if (other !== undefined && other.replaceAll('"', '') === head.etag) {
    return { status: 304, headers: { etag: `"${head.etag}"`, 'content-length': '0' } };
  }
  return undefined;
}

/** One range of bytes, from (inclusive) and to (exclusive); several ranges are ignored, as S3 does. */
function parseRange(header: string | undefined, size: number): { from: number; to: number } | undefined {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (parts === null || (parts[1] === '' && parts[2] === '')) return undefined;
  const [, first = '', last = ''] = parts;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= size || to <= from) {
    throw new ServiceFault(416, 'InvalidRange', 'the range lies outside the object');
  }
  return { from, to };
}
