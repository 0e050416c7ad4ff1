import { request as httpRequest } from 'node:http';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { describe, expect, it } from 'vitest';
import { startEndpoint } from '../../lib/local/endpoints/server.ts';
import type { Service, ServiceRequest } from '../../lib/local/endpoints/service.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { clientConfig, credentials, serve, startS3 } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';

/** A service that answers everything, and remembers what reached it. */
function openService(name: string): Service & { readonly reached: ServiceRequest[] } {
  const reached: ServiceRequest[] = [];
  return {
    name,
    reached,
    handle: async (request) => {
      reached.push(request);
      return { status: 200, body: '{}' };
    },
  };
}

interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A request as any program or web page could make it. `fetch` would not let a test choose the Host. */
function send(url: string, { method = 'POST', path = '/', headers = {}, body = '{}' }: RawRequest) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const { port } = new URL(url);
      const withoutBody = method === 'GET' || method === 'HEAD';
      const length = withoutBody ? {} : { 'content-length': Buffer.byteLength(body) };
      const all = { ...headers, ...length };
      const outgoing = httpRequest({ host: '127.0.0.1', port, method, path, headers: all }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(withoutBody ? undefined : body);
    },
  );
}

describe('a request that is not signed', () => {
  it.each(['s3', 'dynamodb', 'kms', 'ses', 'lambda', 'states', 'bedrock'])(
    'reaches nothing of %s',
    async (name) => {
      const service = openService(name);
      const { url } = await serve(service);
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS', 'DELETE']) {
        expect((await send(url, { method })).status).toBe(403);
      }
      expect(service.reached).toEqual([]);
    },
  );

  it('is refused in the words of each protocol', async () => {
    const s3 = await serve(openService('s3'));
    const ses = await serve(openService('ses'));
    const kms = await serve(openService('kms'));
    expect((await send(s3.url, {})).text).toContain('<Error><Code>AccessDenied</Code>');
    expect((await send(ses.url, {})).text).toContain('<Type>Sender</Type><Code>AccessDenied</Code>');
    expect(JSON.parse((await send(kms.url, {})).text)).toMatchObject({
      __type: 'MissingAuthenticationTokenException',
    });
  });

  it.each([
    'AWS4-HMAC-SHA256 Credential=AKIDTEST/20270101/us-east-1/kms/aws4_request',
    'AWS4-HMAC-SHA256 Credential=AKIDTEST/20270101/us-east-1/kms/aws4_request, SignedHeaders=host, Signature=zz',
    'AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=00',
    'AWS4-ECDSA-P256-SHA256 Credential=AKIDTEST/20270101/kms/aws4_request, SignedHeaders=host, Signature=00',
    'Bearer token',
    'Basic QUtJRFRFU1Q6c2VjcmV0',
    '',
  ])('is not made better by the header %s', async (authorization) => {
    const service = openService('kms');
    const { url } = await serve(service);
    expect((await send(url, { headers: { authorization } })).status).toBe(403);
    expect(service.reached).toEqual([]);
  });

  it('is not made better by a presigned URL', async () => {
    const service = openService('s3');
    const { url } = await serve(service);
    const path = '/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDTEST&X-Amz-Signature=00';
    expect((await send(url, { method: 'GET', path })).status).toBe(403);
    expect(service.reached).toEqual([]);
  });
});

describe('a request that is signed', () => {
  it('with another secret is refused as AWS refuses it', async () => {
    const wrong = { credentials: { ...credentials, secretAccessKey: 'another' } };
    const s3 = await startS3();
    const client = new S3Client({ ...clientConfig(s3.url), forcePathStyle: true, ...wrong });
    await expect(client.send(new ListObjectsV2Command({ Bucket: 'b' }))).rejects.toMatchObject({
      name: 'SignatureDoesNotMatch',
      $metadata: { httpStatusCode: 403 },
    });
    const kms = await serve(openService('kms'));
    await expect(
      new KMSClient({ ...clientConfig(kms.url), ...wrong }).send(new GetPublicKeyCommand({ KeyId: 'k' })),
    ).rejects.toMatchObject({ name: 'InvalidSignatureException', $metadata: { httpStatusCode: 403 } });
    const ses = await serve(openService('ses'));
    await expect(
      new SESClient({ ...clientConfig(ses.url), ...wrong }).send(
        new SendRawEmailCommand({ RawMessage: { Data: Buffer.from('x') } }),
      ),
    ).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
  });

  it('with another access key is refused', async () => {
    const { url } = await serve(openService('kms'));
    const client = new KMSClient({
      ...clientConfig(url),
      credentials: { ...credentials, accessKeyId: 'AKIDOTHER' },
    });
    await expect(client.send(new GetPublicKeyCommand({ KeyId: 'k' }))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });

  it('for another service is refused', async () => {
    const { url } = await serve(openService('ses'));
    await expect(
      new KMSClient(clientConfig(url)).send(new GetPublicKeyCommand({ KeyId: 'k' })),
    ).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  });

  it('more than five minutes ago or ahead is refused, and within them is not', async () => {
    const now = Math.floor(systemClock.now() / 1000) * 1000;
    for (const [minutes, refused] of [
      [-6, true],
      [-4, false],
      [4, false],
      [6, true],
    ] as const) {
      const clock = new ManualClock(new Date(now + minutes * 60_000).toISOString());
      const { url } = await serve(openService('kms'), { clock });
      const answer = new KMSClient(clientConfig(url)).send(new GetPublicKeyCommand({ KeyId: 'k' }));
      if (refused) await expect(answer).rejects.toMatchObject({ name: 'InvalidSignatureException' });
      else await expect(answer).resolves.toBeDefined();
    }
  });

  it('is replayed in vain with another body, header, path or method', async () => {
    const service = openService('kms');
    const { url } = await serve(service);
    await new KMSClient(clientConfig(url)).send(new GetPublicKeyCommand({ KeyId: 'k' }));
    const [original] = service.reached;
    if (original === undefined) throw new Error('nothing was reached');
    const headers = { ...original.headers };
    delete headers['content-length'];
    const body = Buffer.from(original.body).toString();
    expect((await send(url, { headers, body })).status).toBe(200);
    const changed = [
      { headers, body: '{"KeyId":"other"}' },
      { headers: { ...headers, 'x-amz-target': 'TrentService.Sign' }, body },
      { headers: { ...headers, 'x-amz-extra': 'not signed' }, body },
      { headers: { ...headers, 'if-match': 'not signed' }, body },
      { headers, body, path: '/other' },
      { headers, body, path: '/?a=b' },
      { headers, body, method: 'PUT' },
    ];
    for (const each of changed) expect((await send(url, each)).status).toBe(403);
    expect(service.reached).toHaveLength(2);
  });
});

describe('where a request comes from', () => {
  async function captured() {
    const service = openService('kms');
    const { url } = await serve(service);
    await new KMSClient(clientConfig(url)).send(new GetPublicKeyCommand({ KeyId: 'k' }));
    const [original] = service.reached;
    const headers = { ...original?.headers };
    delete headers['content-length'];
    return { url, service, headers, body: Buffer.from(original?.body ?? []).toString() };
  }

  it.each(['attacker.example', 'localhost', '127.0.0.1', '127.0.0.1:1', '[::1]:80', '0.0.0.0:80'])(
    'is refused for the Host %s',
    async (host) => {
      const { url, service, headers, body } = await captured();
      const answer = await send(url, { headers: { ...headers, host }, body });
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('AccessDenied') });
      expect(service.reached).toHaveLength(1);
    },
  );

  it.each(['http://attacker.example', 'null', 'http://127.0.0.1'])(
    'is refused for any Origin, such as %s',
    async (origin) => {
      const { url, service, headers, body } = await captured();
      const answer = await send(url, { headers: { ...headers, origin }, body });
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('AccessDenied') });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(service.reached).toHaveLength(1);
    },
  );

  it('may be the name localhost with the very port', async () => {
    const service = openService('kms');
    const { url } = await serve(service);
    const client = new KMSClient(clientConfig(url.replace('127.0.0.1', 'localhost')));
    await client.send(new GetPublicKeyCommand({ KeyId: 'k' }));
    expect(service.reached).toHaveLength(1);
  });

  it('is an address of this machine only', async () => {
    const { url } = await serve(openService('kms'));
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });
});

describe('an endpoint', () => {
  it('names a port that is taken', async () => {
    const { url } = await serve(openService('kms'));
    const port = Number(new URL(url).port);
    const second = startEndpoint(openService('ses'), { credentials, clock: systemClock, port });
    await expect(second).toFailWithCode('PORT_IN_USE');
    await expect(second).rejects.toThrow(`\`${port}\``);
  });

  it('does not tell what went wrong inside, but logs that something did', async () => {
    const lines: string[] = [];
    const failing: Service = {
      name: 'kms',
      handle: () => Promise.reject(new TypeError('the secret text of a mail')),
    };
    const { url } = await serve(failing, { log: (line) => lines.push(line) });
    await expect(
      new KMSClient(clientConfig(url)).send(new GetPublicKeyCommand({ KeyId: 'k' })),
    ).rejects.toMatchObject({ name: 'InternalFailure', $metadata: { httpStatusCode: 500 } });
    expect(lines).toEqual([expect.stringMatching(/^kms: request [0-9a-f]+ failed: TypeError$/)]);
  });

  it('survives an answer that HTTP cannot carry', async () => {
    const { url } = await serve({
      name: 'kms',
      handle: async () => ({ status: 200, headers: { 'x-a': 'b\r\nx-c: d' } }),
    });
    const client = new KMSClient(clientConfig(url));
    await expect(client.send(new GetPublicKeyCommand({ KeyId: 'k' }))).rejects.toThrow();
    expect((await send(url, {})).status).toBe(403);
  });

  it('refuses a target that it cannot read', async () => {
    const { url } = await serve(openService('s3'));
    const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20270101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
    for (const path of ['/%zz', '/?a=%zz', 'http://other.example/']) {
      expect((await send(url, { method: 'GET', path, headers: { authorization } })).status).toBe(400);
    }
  });

  it('refuses a body over the limit before it reads it', async () => {
    const service = openService('kms');
    const { url } = await serve(service);
    const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20270101/us-east-1/kms/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization, 'content-length': String(65 * 1024 * 1024) };
      const outgoing = httpRequest(url, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
    expect(status).toBe(413);
  });

  it('stops, and no longer answers', async () => {
    const endpoint = await startEndpoint(openService('kms'), { credentials, clock: systemClock });
    const client = new KMSClient(clientConfig(endpoint.url));
    await client.send(new GetPublicKeyCommand({ KeyId: 'k' }));
    await endpoint.close();
    await expect(client.send(new GetPublicKeyCommand({ KeyId: 'k' }))).rejects.toThrow();
  });

  it('signs the same whatever the path holds', async () => {
    const { client } = await startS3();
    await client.send(new CreateBucketCommand({ Bucket: 'bbb' }));
    for (const Key of ["a b+c&d=e?f#g!'()*", 'ä/€', '%2F', '//', '*']) {
      await expect(client.send(new GetObjectCommand({ Bucket: 'bbb', Key }))).rejects.toMatchObject({
        name: 'NoSuchKey',
      });
    }
  });
});
