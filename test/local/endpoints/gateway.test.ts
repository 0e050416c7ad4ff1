import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CaregateError } from '../../../lib/errors.ts';
import { startGateway } from '../../../lib/local/endpoints/gateway.ts';
import type { HttpEvent } from '../../../lib/local/endpoints/gateway-event.ts';
import { FunctionRegistry } from '../../../lib/local/endpoints/lambda.ts';
import { ManualClock } from '../../support/time.ts';

const clock = new ManualClock('2027-01-01T00:00:00Z');

async function start(answer: unknown = { statusCode: 200, body: 'ok' }, publicUrl?: string) {
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

  it.each(['nonsense', 'ftp://x.example', ''])('refuses the public URL %j', async (publicUrl) => {
    await expect(start({}, publicUrl)).toFailWithCode('CONFIGURATION_INVALID');
  });
});

describe('where a request comes from', () => {
  it('is told by Host: its own names and the public one, and no other', async () => {
    const { url, events, host } = await start(undefined, 'https://care.example/office');
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
