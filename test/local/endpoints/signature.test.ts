import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadHash, readPayload } from '../../../lib/local/endpoints/payload.ts';
import {
  parseAuthorization,
  sameText,
  sha256Hex,
  verifySignature,
} from '../../../lib/local/endpoints/signature.ts';
import { credentials } from '../../support/endpoints.ts';
import { ManualClock } from '../../support/time.ts';

/** The SHA-256 that the SDK's signer asks for. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }
}

/** The chunked upload of AWS's manual, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks". */
const manual = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  clock: new ManualClock('2013-05-24T00:00:00Z'),
  announced: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  headers: {
    host: 's3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    'content-length': '66824',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class,Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  },
  chunks: [
    ['10000', 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648', 'a'.repeat(65_536)],
    ['400', '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497', 'a'.repeat(1024)],
    ['0', 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9', ''],
  ] as const,
};

function manualSignature() {
  const { headers, credentials: pair, clock, announced } = manual;
  const request = {
    method: 'PUT',
    path: '/examplebucket/chunkObject.txt',
    query: [],
    headers,
    payloadHash: payloadHash('s3', announced, new Uint8Array()),
  };
  return verifySignature(request, parseAuthorization(headers.authorization, 's3', pair), pair, clock);
}

function manualBody(change: (text: string) => string = (text) => text): Uint8Array {
  const text = manual.chunks
    .map(([size, signature, data]) => `${size};chunk-signature=${signature}\r\n${data}\r\n`)
    .join('');
  return Buffer.from(change(text));
}

describe('a signed stream', () => {
  it("is read as AWS's manual writes it", () => {
    const { body, trailers } = readPayload(manual.announced, manualBody(), manualSignature());
    expect(body).toEqual(Buffer.alloc(66_560, 'a'));
    expect(trailers).toEqual({});
  });

  it.each([
    ['a changed byte', (text: string) => text.replace('\r\na', '\r\nb')],
    ['a changed signature', (text: string) => text.replace('=ad80', '=bd80')],
    [
      'a chunk left out',
      (text: string) =>
        text.slice(0, text.indexOf('400;')) + text.slice(text.indexOf('0;chunk-signature=b6')),
    ],
    ['no signatures', (text: string) => text.replace(/;chunk-signature=[0-9a-f]{64}/g, '')],
  ])('is refused with %s', (_name, change) => {
    const seed = manualSignature();
    expect(() => readPayload(manual.announced, manualBody(change), seed)).toThrow(
      expect.objectContaining({ fault: 'SignatureDoesNotMatch', status: 403 }),
    );
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, 66_000)],
    ['without its end', (text: string) => text.slice(0, text.indexOf('0;chunk-signature=b6'))],
    ['a chunk that says another size', (text: string) => text.replace('10000;', '10001;')],
    ['a size that is no number', (text: string) => text.replace('10000;', 'zzz;')],
    ['empty', () => ''],
  ])('is refused %s', (_name, change) => {
    const seed = manualSignature();
    expect(() => readPayload(manual.announced, manualBody(change), seed)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  it('with a trailer is read if the trailer is signed', () => {
    const seed = manualSignature();
    const announced = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
    const checksum = 'x-amz-checksum-crc32:AAAAAA==';
    const scope = `${seed.time}\n${seed.scope}`;
    const mac = (text: string) => createHmac('sha256', seed.key).update(text).digest('hex');
    const end = mac(`AWS4-HMAC-SHA256-PAYLOAD\n${scope}\n${seed.value}\n${sha256Hex('')}\n${sha256Hex('')}`);
    const trailer = mac(`AWS4-HMAC-SHA256-TRAILER\n${scope}\n${end}\n${sha256Hex(`${checksum}\n`)}`);
    const text = (signature: string) =>
      Buffer.from(`0;chunk-signature=${end}\r\n${checksum}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`);
    expect(readPayload(announced, text(trailer), seed).trailers).toEqual({
      'x-amz-checksum-crc32': 'AAAAAA==',
    });
    expect(() => readPayload(announced, text('0'.repeat(64)), seed)).toThrow(
      expect.objectContaining({ fault: 'SignatureDoesNotMatch' }),
    );
    const unsigned = Buffer.from(`0;chunk-signature=${end}\r\n${checksum}\r\n\r\n`);
    expect(() => readPayload(announced, unsigned, seed)).toThrow(
      expect.objectContaining({ fault: 'SignatureDoesNotMatch' }),
    );
  });
});

describe('an unsigned stream', () => {
  const announced = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  const read = (text: string) => readPayload(announced, Buffer.from(text), manualSignature());

  it('gives back what was framed, however it was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 5 }), (chunks) => {
        const framed = chunks.map((chunk) =>
          Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
        );
        const bytes = Buffer.concat([...framed, Buffer.from('0\r\nx-amz-checksum-sha256:abc=\r\n\r\n')]);
        const { body, trailers } = readPayload(announced, bytes, manualSignature());
        expect(Buffer.from(body)).toEqual(Buffer.concat(chunks));
        expect(trailers).toEqual({ 'x-amz-checksum-sha256': 'abc=' });
      }),
    );
  });

  it.each([
    '0\r\nif-none-match:*\r\n\r\n',
    '0\r\nhost:x\r\n\r\n',
    '0\r\nno colon\r\n\r\n',
    '5\r\nabcdeXX0\r\n\r\n',
  ])('brings no other trailer than a checksum, nor a broken frame: %j', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ fault: 'IncompleteBody' }));
  });
});

describe('the hash of the payload', () => {
  const body = Buffer.from('body');

  it('is computed for every service but S3, whatever is announced', () => {
    for (const announced of ['UNSIGNED-PAYLOAD', '0'.repeat(64), undefined]) {
      expect(payloadHash('kms', announced, body)).toBe(sha256Hex(body));
    }
  });

  it('is the announced word for S3, or else must be right', () => {
    expect(payloadHash('s3', 'UNSIGNED-PAYLOAD', body)).toBe('UNSIGNED-PAYLOAD');
    expect(payloadHash('s3', sha256Hex(body), body)).toBe(sha256Hex(body));
    expect(payloadHash('s3', undefined, body)).toBe(sha256Hex(body));
    for (const announced of [sha256Hex('other'), 'STREAMING-OTHER', '']) {
      expect(() => payloadHash('s3', announced, body)).toThrow(
        expect.objectContaining({ fault: 'XAmzContentSHA256Mismatch' }),
      );
    }
  });
});

describe('a signature', () => {
  const clock = new ManualClock('2027-01-01T12:00:00Z');

  async function signed(service: string, path: string, query: Record<string, string>, body: string) {
    const signer = new SignatureV4({
      credentials,
      region: 'eu-west-1',
      service,
      sha256: Sha256 as never,
      uriEscapePath: service !== 's3',
    });
    const headers = { host: '127.0.0.1:1', 'x-amz-target': ' a   b ', 'x-custom': 'é' };
    const request = { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path, query, headers, body };
    const result = await signer.sign(request, { signingDate: new Date(clock.now()) });
    return {
      method: 'POST',
      path,
      query: Object.entries(query),
      headers: result.headers as Record<string, string>,
      payloadHash: sha256Hex(body),
    };
  }

  const verify = (service: string, request: Awaited<ReturnType<typeof signed>>) =>
    verifySignature(
      request,
      parseAuthorization(request.headers.authorization, service, credentials),
      credentials,
      clock,
    );

  it("by the SDK's own signer is accepted for any path, query and body", async () => {
    const segment = fc.string({ unit: 'grapheme', maxLength: 8 }).map(encodeURIComponent);
    const path = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    const query = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), {
      maxKeys: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('s3', 'lambda', 'kms'),
        path,
        query,
        fc.string(),
        async (...[service, at, parameters, body]) => {
          const request = await signed(service, at, parameters, body);
          expect(verify(service, request).value).toMatch(/^[0-9a-f]{64}$/);
        },
      ),
    );
  });

  it('is refused as soon as anything that it covers is changed', async () => {
    const request = await signed('kms', '/a/b', { c: 'd' }, 'body');
    expect(verify('kms', request)).toBeDefined();
    const changes = [
      { method: 'GET' },
      { path: '/a/c' },
      { query: [['c', 'e'] as [string, string]] },
      { query: [] },
      { payloadHash: sha256Hex('other') },
      { headers: { ...request.headers, 'x-amz-target': 'other' } },
      { headers: { ...request.headers, host: 'other' } },
      { headers: { ...request.headers, 'x-amz-date': '20270101T120001Z' } },
      { headers: { ...request.headers, 'x-amz-date': 'soon' } },
      { headers: { ...request.headers, 'x-amz-date': '20279901T120000Z' } },
    ];
    for (const change of changes) {
      expect(() => verify('kms', { ...request, ...change })).toThrow(
        expect.objectContaining({ fault: 'InvalidSignatureException', status: 403 }),
      );
    }
  });

  it('must cover the Host', async () => {
    const request = await signed('kms', '/', {}, '');
    const authorization = parseAuthorization(request.headers.authorization, 'kms', credentials);
    const without = authorization.signedHeaders.filter((name) => name !== 'host');
    expect(() =>
      verifySignature(request, { ...authorization, signedHeaders: without }, credentials, clock),
    ).toThrow(expect.objectContaining({ status: 403 }));
  });
});

describe('texts', () => {
  it('are the same only if they are equal, also where their lengths differ', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(sameText(a, a)).toBe(true);
        expect(sameText(a, b)).toBe(a === b);
      }),
    );
  });
});
