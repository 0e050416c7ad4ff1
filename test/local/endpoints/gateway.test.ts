import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CaregateError } from '../../../lib/errors.ts';
import { startGateway } from '../../../lib/local/endpoints/gateway.ts';
import type { HttpEvent } from '../../../lib/local/endpoints/gateway-event.ts';
import { sourceOf } from '../../../lib/local/endpoints/gateway-host.ts';
import { FunctionRegistry } from '../../../lib/local/endpoints/lambda.ts';
import { ManualClock } from '../../support/time.ts';

const clock = new ManualClock('2027-01-01T00:00:00Z');

async function start(
  answer: unknown = { statusCode: 200, body: 'ok' },
  publicUrl?: string,
  network?: string,
) {
  const events: (HttpEvent & { by: string })[] = [];
  const registry = new FunctionRegistry();
  for (const by of ['get', 'post']) {
    registry.register(by, async (event) => {
      events.push({ ...(event as HttpEvent), by });
      if (answer instanceof Error) throw answer;
      return answer;
    });
  }
  const gateway = await startGateway({
    registry,
    get: 'get',
    post: 'post',
    port: 0,
    clock,
    host: network,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  });
  onTestFinished(() => gateway.close());
  return { ...gateway, events, host: new URL(gateway.url).host };
}

/** A request as any browser or page could make it. `fetch` would not let a test choose Host, Origin and fetch metadata. */
function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: object; body?: string | Buffer } = {},
) {
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const outgoing = httpRequest(url, { method, headers: { ...headers } }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      });
      outgoing.on('error', reject);
      outgoing.end(method === 'POST' ? body : undefined);
    },
  );
}

describe('the gateway', () => {
  it('hands GET and HEAD to one function and POST to another', async () => {
    const { url, events } = await start();
    await send(url);
    const head = await send(url, { method: 'HEAD' });
    await send(url, { method: 'POST', body: 'code=1' });
    expect(events.map(({ by, requestContext }) => [by, requestContext.http.method])).toEqual([
      ['get', 'GET'],
      ['get', 'HEAD'],
      ['post', 'POST'],
    ]);
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '2' } });
  });

  it.each(['PUT', 'DELETE', 'OPTIONS', 'PATCH'])('knows no %s', async (method) => {
    const { url, events } = await start();
    expect((await send(url, { method })).status).toBe(404);
    expect(events).toEqual([]);
  });

  it('describes a request in payload format 2.0', async () => {
    const { url, events, host } = await start();
    await send(`${url}/approve/a%2Fb?x=1&x=2&y=%20z&__proto__=p`, {
      method: 'POST',
      headers: {
        cookie: 'a=1; b=2',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'test',
      },
      body: 'code=12&text=%C3%BC',
    });
    expect(events).toMatchObject([
      {
        version: '2.0',
        rawPath: '/approve/a%2Fb',
        rawQueryString: 'x=1&x=2&y=%20z&__proto__=p',
        queryStringParameters: { x: '1,2', y: ' z' },
        cookies: ['a=1', 'b=2'],
        headers: { host },
        body: 'code=12&text=%C3%BC',
        isBase64Encoded: false,
        requestContext: {
          domainName: host,
          stage: '$default',
          timeEpoch: clock.now(),
          http: { method: 'POST', path: '/approve/a%2Fb', sourceIp: '127.0.0.1', userAgent: 'test' },
        },
      },
    ]);
    expect(events[0]?.headers.cookie).toBeUndefined();
  });

  it('passes bytes that are no text as base64', async () => {
    const { url, events } = await start();
    const body = Buffer.from([0, 255, 128]);
    await send(url, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body });
    await send(url, { method: 'POST' });
    expect(events[0]).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
    expect(events[1]).toMatchObject({ isBase64Encoded: false });
    expect(events[1]?.body).toBeUndefined();
  });

  it('answers with the status, headers, cookies and body of the function', async () => {
    const { url } = await start({
      statusCode: 303,
      headers: { location: '/done', 'content-type': 'text/html' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from('päge').toString('base64'),
      isBase64Encoded: true,
    });
    expect(await send(url)).toMatchObject({
      status: 303,
      text: 'päge',
      headers: { location: '/done', 'set-cookie': ['a=1', 'b=2'] },
    });
  });

  it('takes an answer without a status for JSON, as API Gateway does', async () => {
    const { url } = await start({ a: 1 });
    expect(await send(url)).toMatchObject({
      status: 200,
      text: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('tells nothing of a function that failed or answered nonsense', async () => {
    for (const answer of [new CaregateError('NOT_FOUND', 'case `c-1`'), { statusCode: 'x' }]) {
      const { url } = await start(answer);
      expect(await send(url)).toMatchObject({ status: 500, text: '{"message":"Internal Server Error"}' });
    }
  });

  it('survives an answer that HTTP cannot carry', async () => {
    const { url, events } = await start({ statusCode: 200, headers: { location: '/a\r\nset-cookie: b=c' } });
    await expect(send(url)).rejects.toThrow();
    await expect(send(url)).rejects.toThrow();
    expect(events).toHaveLength(2);
  });

  it('takes bodies up to 64 KiB', async () => {
    const { url, events } = await start();
    expect((await send(url, { method: 'POST', body: 'x'.repeat(65_536) })).status).toBe(200);
    expect((await send(url, { method: 'POST', body: 'x'.repeat(65_537) })).status).toBe(413);
    const headers = { 'transfer-encoding': 'chunked' };
    expect((await send(url, { method: 'POST', headers, body: 'x'.repeat(65_537) })).status).toBe(413);
    expect(events).toHaveLength(1);
  });

  it('names a port that is taken', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    const second = startGateway({ registry: new FunctionRegistry(), get: 'g', post: 'p', port, clock });
    await expect(second).toFailWithCode('PORT_IN_USE');
    await expect(second).rejects.toThrow(String(port));
  });

  it.each([
    ...['nonsense', 'ftp://x.example', '', 'https://care.example/office', 'https://care.example/?x'],
    'https://u:p@care.example',
  ])('refuses the public URL %j', async (publicUrl) => {
    await expect(start({}, publicUrl)).toFailWithCode('CONFIGURATION_INVALID');
  });
});

describe('where a request comes from', () => {
  it('is told by Host: its own names and the public one, and no other', async () => {
    const { url, events, host } = await start(undefined, 'https://care.example/');
    const port = host.split(':')[1];
    for (const name of [host, `localhost:${port}`, 'care.example']) {
      expect((await send(url, { headers: { host: name } })).status).toBe(200);
    }
    for (const name of [
      'rebound.example',
      `rebound.example:${port}`,
      '127.0.0.1',
      'care.example:80',
      'x.care.example',
    ]) {
      expect((await send(url, { headers: { host: name } })).status).toBe(403);
    }
    expect(events).toHaveLength(3);
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-proto': 'https' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
    { 'cf-connecting-ip': '203.0.113.7' },
  ])('is not this machine where a proxy says so by %j', async (headers) => {
    const { url, events } = await start(undefined, 'https://care.example');
    expect((await send(url, { headers: { ...headers } })).status).toBe(403);
    expect((await send(url, { headers: { ...headers, host: 'care.example:443' } })).status).toBe(200);
    expect(events).toHaveLength(1);
  });

  it('is not this machine where an older proxy asks, which says nothing of itself', async () => {
    const { url, host, events } = await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(events).toEqual([]);
  });

  it('is the last hop before a proxy on this machine, and never what was written before that', async () => {
    const { url, events } = await start(undefined, 'https://care.example');
    const host = 'care.example';
    for (const hops of ['198.51.100.1, 203.0.113.7', 'nonsense']) {
      await send(url, { headers: { host, 'x-forwarded-for': hops, 'x-forwarded-host': 'evil.example' } });
    }
    const sources = events.map(({ requestContext }) => requestContext.http.sourceIp);
    expect(sources).toEqual(['203.0.113.7', '127.0.0.1']);
    expect(events[0]?.requestContext.domainName).toBe(host);
  });

  // Only Linux has more than one address of this machine without a network.
  it.runIf(process.platform === 'linux')('is answered on the network by that address alone', async () => {
    const { url, networkUrl = '', events, host } = await start(undefined, undefined, '127.0.0.2');
    expect(networkUrl).toBe(`http://127.0.0.2:${new URL(url).port}`);
    expect((await send(networkUrl)).status).toBe(200);
    expect((await send(url)).status).toBe(200);
    // Whoever comes over the network can write any Host.
    for (const name of [host, `localhost:${new URL(url).port}`, 'rebound.example']) {
      expect((await send(networkUrl, { headers: { host: name } })).status).toBe(403);
    }
    expect((await send(url, { headers: { host: new URL(networkUrl).host } })).status).toBe(403);
    expect(events).toHaveLength(2);
    const socket = { remoteAddress: '127.0.0.3' } as never;
    expect(sourceOf({ headers: { 'x-forwarded-for': '203.0.113.7' }, socket })).toBe('127.0.0.3');
  });

  it.each(['0.0.0.0', '::', '::ffff:0.0.0.0', '127.0.0.1', '::1', 'care.example', ''])(
    'is not opened to the network for %j, which is not one address of it',
    async (network) => {
      await expect(start({}, undefined, network)).toFailWithCode('CONFIGURATION_INVALID');
    },
  );

  it('stays closed where the address on the network cannot be had', async () => {
    const failing = start({}, undefined, '192.0.2.1');
    await expect(failing).toFailWithCode('CONFIGURATION_INVALID');
    await expect(failing).rejects.toThrow(/`192\.0\.2\.1` is no address that this machine has now/);
  });

  it('is not from this machine only since a public URL of it names this machine', async () => {
    const { networkUrl = '', url } = await start(undefined, 'http://localhost:4280', '127.0.0.2');
    const headers = { host: 'localhost:4280' };
    expect((await send(networkUrl, { headers })).status).toBe(403);
    expect((await send(url, { headers: { ...headers, 'x-forwarded-for': '198.51.100.7' } })).status).toBe(
      403,
    );
    expect((await send(url, { headers })).status).toBe(200);
  });

  it('is its own page, or a program, if it may POST', async () => {
    const { url, host } = await start(undefined, 'https://care.example');
    const post = async (headers: object) => (await send(url, { method: 'POST', headers })).status;
    expect(await post({})).toBe(200);
    expect(await post({ origin: url })).toBe(200);
    expect(await post({ origin: url, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await post({ origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await post({ origin: 'https://care.example' })).toBe(200);
    expect(await post({ origin: 'https://care.example', host: 'care.example' })).toBe(200);
    expect(await post({ origin: 'http://attacker.example' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ origin: 'null', 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await post({ origin: url, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await post({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await post({ origin: `https://${host}` })).toBe(403);
  });

  it('matters not for a GET, which changes nothing: a link in a mail is followed from anywhere', async () => {
    const { url } = await start();
    const headers = { origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' };
    expect((await send(url, { headers })).status).toBe(200);
  });
});
