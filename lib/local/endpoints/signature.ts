import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../provenance/clock.ts';
import { ServiceFault } from './fault.ts';

/** The key pair that every request to an endpoint must be signed with; made anew at each start of the office. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What of a request is signed. Everything in it is attacker-controlled until the signature was checked. */
export interface SignedRequest {
  readonly method: string;
  /** Percent-encoded path as it came over the wire. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** What stands in the canonical request for the body: its SHA-256, or one of S3's words for "not hashed". */
  readonly payloadHash: string;
}

/** A checked signature, with what is needed to check the chunks that follow it. */
export interface Signature {
  readonly value: string;
  readonly key: Buffer;
  readonly time: string;
  readonly scope: string;
}

/** The `Authorization` header, taken apart. */
export interface Authorization {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** How far the client's clock may be off, as on AWS for most services. */
export const skewMilliseconds = 5 * 60 * 1000;

const form =
  /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, *SignedHeaders=([a-z0-9;_-]+), *Signature=([0-9a-f]{64})$/;

/**
 * Reads the `Authorization` header (signing process: "Signature Version 4", header form; no presigned URLs).
 * @throws ServiceFault if it is absent, has another form, or names another key or service
 */
export function parseAuthorization(
  header: string | undefined,
  service: string,
  credentials: Credentials,
): Authorization {
  const parts = header === undefined ? null : form.exec(header);
  if (parts === null) throw refusal(service, 'unsigned');
  const [, accessKeyId = '', date = '', region = '', named = '', headers = '', signature = ''] = parts;
  if (!sameText(accessKeyId, credentials.accessKeyId)) throw refusal(service, 'unknown key');
  if (named !== service) throw refusal(service, 'wrong signature');
  return { accessKeyId, date, region, service: named, signedHeaders: headers.split(';'), signature };
}

/**
 * Checks a request's signature by computing it again.
 * @throws ServiceFault 403 for a wrong signature, a clock that is more than five minutes off, or headers that matter and
 *   were left out of the signature
 */
export function verifySignature(
  request: SignedRequest,
  authorization: Authorization,
  credentials: Credentials,
  clock: Clock,
): Signature {
  const { service } = authorization;
  const time = request.headers['x-amz-date'] ?? '';
  const signedAt = parseAmzDate(time);
  if (signedAt === undefined || !time.startsWith(authorization.date))
    throw refusal(service, 'wrong signature');
  if (Math.abs(clock.now() - signedAt) > skewMilliseconds) throw refusal(service, 'skewed clock');
  if (!coversWhatMatters(request.headers, authorization.signedHeaders))
    throw refusal(service, 'wrong signature');
  const scope = `${authorization.date}/${authorization.region}/${service}/aws4_request`;
  const canonical = sha256Hex(canonicalRequest(request, authorization));
  const key = signingKey(credentials.secretAccessKey, authorization);
  const expected = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${canonical}`).toString('hex');
  if (!sameText(expected, authorization.signature)) throw refusal(service, 'wrong signature');
  return { value: expected, key, time, scope };
}

/** The signature over one chunk of a signed stream; `kind` is `PAYLOAD` for data and `TRAILER` for the trailer. */
export function chunkSignature(
  seed: Signature,
  previous: string,
  kind: 'PAYLOAD' | 'TRAILER',
  data: Uint8Array | string,
): string {
  const hashes = kind === 'PAYLOAD' ? `${sha256Hex('')}\n${sha256Hex(data)}` : sha256Hex(data);
  const text = `AWS4-HMAC-SHA256-${kind}\n${seed.time}\n${seed.scope}\n${previous}\n${hashes}`;
  return hmac(seed.key, text).toString('hex');
}

/** Compares without telling by time how much was right. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [sha256Bytes(a), sha256Bytes(b)];
  return timingSafeEqual(left, right);
}

/** The lower-case hexadecimal SHA-256 of bytes or of a text's UTF-8 bytes. */
export function sha256Hex(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function canonicalRequest(request: SignedRequest, { service, signedHeaders }: Authorization): string {
  const headers = signedHeaders.map((name) => `${name}:${canonicalValue(request.headers[name] ?? '')}\n`);
  return [
    request.method,
    canonicalPath(request.path, service),
    canonicalQuery(request.query),
    headers.join(''),
    signedHeaders.join(';'),
    request.payloadHash,
  ].join('\n');
}

// S3 signs the path as it is sent. Every other service signs it normalised and encoded once more.
function canonicalPath(path: string, service: string): string {
  if (service === 's3') return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encode(segment));
  }
  return `/${segments.join('/')}${path.endsWith('/') && segments.length > 0 ? '/' : ''}`;
}

function canonicalQuery(query: SignedRequest['query']): string {
  const pairs = query.map(([name, value]) => [encode(name), encode(value)] as const);
  const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  pairs.sort(([a, x], [b, y]) => byCode(a, b) || byCode(x, y));
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

function canonicalValue(value: string): string {
  return value.trim().replace(/\s+/g, ' ');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// Host, and all that AWS's own headers say, must be under the signature; so must what makes a write conditional.
function coversWhatMatters(headers: Readonly<Record<string, string>>, signed: readonly string[]): boolean {
  const names = new Set(signed);
  const matters = (name: string): boolean =>
    name.startsWith('x-amz-') || name === 'host' || name === 'if-match' || name === 'if-none-match';
  return names.has('host') && Object.keys(headers).every((name) => !matters(name) || names.has(name));
}

function signingKey(secret: string, { date, region, service }: Authorization): Buffer {
  return [date, region, service, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`, 'utf8'));
}

function parseAmzDate(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

type Cause = 'unsigned' | 'unknown key' | 'wrong signature' | 'skewed clock';

const texts: Readonly<Record<Cause, string>> = {
  unsigned: 'the request is not signed; sign it with the credentials of this office',
  'unknown key': 'the access key is not the one of this office; take it from the running office',
  'wrong signature': 'the signature does not fit the request; check the secret access key',
  'skewed clock': 'the time of the request is more than five minutes off; set the clock',
};

// The names that the SDK knows. It corrects its clock by the Date header when it meets one of the last row.
const names: Readonly<Record<Cause, { xml: string; json: string }>> = {
  unsigned: { xml: 'AccessDenied', json: 'MissingAuthenticationTokenException' },
  'unknown key': { xml: 'InvalidAccessKeyId', json: 'UnrecognizedClientException' },
  'wrong signature': { xml: 'SignatureDoesNotMatch', json: 'InvalidSignatureException' },
  'skewed clock': { xml: 'RequestTimeTooSkewed', json: 'InvalidSignatureException' },
};

function refusal(service: string, cause: Cause): ServiceFault {
  const { xml, json } = names[cause];
  return new ServiceFault(403, service === 's3' || service === 'ses' ? xml : json, texts[cause]);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function sha256Bytes(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
