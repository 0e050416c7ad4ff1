import { ServiceFault } from './fault.ts';
import { chunkSignature, type Signature, sameText, sha256Hex } from './signature.ts';

/** A body as the service reads it: its bytes, and the headers that came behind them. */
export interface Payload {
  readonly body: Uint8Array;
  readonly trailers: Readonly<Record<string, string>>;
}

const unsignedStream = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const signedStreams = ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'];

/**
 * What stands for the body in the canonical request. S3 takes the caller's word and checks it afterwards; the other
 * services hash the body themselves.
 * @throws ServiceFault for a hash that is not the body's, where S3 is told one
 */
export function payloadHash(service: string, announced: string | undefined, body: Uint8Array): string {
  const actual = sha256Hex(body);
  if (service !== 's3' || announced === undefined || announced === actual) return actual;
  if (isKnownWord(announced)) return announced;
  throw new ServiceFault(
    400,
    'XAmzContentSHA256Mismatch',
    'the body is not the one that was signed; send it again',
  );
}

/** The body without its `aws-chunked` framing, each chunk's signature checked where the stream is signed. */
export function readPayload(announced: string | undefined, body: Uint8Array, seed: Signature): Payload {
  if (announced === unsignedStream) return decodeChunks(body, undefined);
  if (announced !== undefined && signedStreams.includes(announced)) return decodeChunks(body, seed);
  return { body, trailers: {} };
}

function isKnownWord(announced: string): boolean {
  return (
    announced === 'UNSIGNED-PAYLOAD' || announced === unsignedStream || signedStreams.includes(announced)
  );
}

function decodeChunks(body: Uint8Array, seed: Signature | undefined): Payload {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const chunks: Buffer[] = [];
  let previous = seed?.value ?? '';
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const head = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(
      bytes.toString('latin1', at, Math.max(at, lineEnd)),
    );
    if (head === null) throw malformed();
    const size = Number.parseInt(head[1] ?? '', 16);
    const start = lineEnd + 2;
    const chunk = bytes.subarray(start, start + size);
    if (chunk.length !== size) throw malformed();
    if (seed !== undefined) previous = checked(chunkSignature(seed, previous, 'PAYLOAD', chunk), head[2]);
    if (size === 0) {
      const trailers = readTrailers(bytes.toString('utf8', start), seed, previous);
      return { body: Buffer.concat(chunks), trailers };
    }
    if (bytes.toString('latin1', start + size, start + size + 2) !== '\r\n') throw malformed();
    chunks.push(chunk);
    at = start + size + 2;
  }
}

function readTrailers(text: string, seed: Signature | undefined, previous: string): Record<string, string> {
  const trailers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const [, name, value] = /^(x-amz-(?:checksum-[a-z0-9]+|trailer-signature)):\s*(\S+)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw malformed();
    trailers[name] = value;
  }
  const { 'x-amz-trailer-signature': signature, ...signed } = trailers;
  if (seed !== undefined && Object.keys(signed).length > 0) {
    const canonical = Object.keys(signed)
      .sort()
      .map((name) => `${name}:${signed[name]}\n`)
      .join('');
    checked(chunkSignature(seed, previous, 'TRAILER', canonical), signature);
  }
  return signed;
}

function checked(expected: string, given: string | undefined): string {
  if (given === undefined || !sameText(expected, given)) {
    throw new ServiceFault(
      403,
      'SignatureDoesNotMatch',
      'the signature of a chunk does not fit; send it again',
    );
  }
  return expected;
}

function malformed(): ServiceFault {
  return new ServiceFault(400, 'IncompleteBody', 'the chunked body is cut short or malformed; send it again');
}
