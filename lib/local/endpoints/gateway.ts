import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import type { Clock } from '../../provenance/clock.ts';
import { httpEvent } from './gateway-event.ts';
import { checkNetworkAddress, isOwnHost, type Listener, networkUrl } from './gateway-host.ts';
import type { FunctionRegistry } from './lambda-registry.ts';
import { closeServer, listenOnLoopback, readBody } from './loopback.ts';

export interface GatewayOptions {
  readonly registry: FunctionRegistry;
  /** The function that answers GET and HEAD. */
  readonly get: string;
  /** The function that answers POST. */
  readonly post: string;
  /** Functions that answer GET for one path each. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The port, or 0 for any that is free. */
  readonly port: number;
  /** Where people reach the office from elsewhere, e.g. through a tunnel; its host is answered too. */
  readonly publicUrl?: string;
  /** An address of this machine on the local network, to be reached there too, without TLS. */
  readonly host?: string | undefined;
  readonly clock: Clock;
}

export interface Gateway {
  /** Where this machine itself reaches the pages. */
  readonly url: string;
  /** Where the local network does, if it does. */
  readonly networkUrl?: string;
  close(): Promise<void>;
}

const bodyLimit = 64 * 1024;

/** What a handler answers with, in payload format 2.0. */
const responseSchema = z.object({
  statusCode: z.int().min(200).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
});
type HttpResponse = z.output<typeof responseSchema>;

/**
 * The web server that people's browsers reach: what API Gateway's HTTP API is on AWS. Unlike the endpoints it takes
 * unsigned requests, so it is careful about where they come from: only its own names as Host, which a rebound DNS name is
 * not, and no POST that another site's page made.
 * @throws CaregateError `PORT_IN_USE`; `CONFIGURATION_INVALID` for a public URL that is none
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host } = options;
  const publicOrigin = parseOrigin(options.publicUrl);
  if (host !== undefined) checkNetworkAddress(host);
  const local = await listen(options, publicOrigin, options.port);
  const url = `http://127.0.0.1:${local.port}`;
  if (host === undefined) return { url, close: local.close };
  try {
    const network = await listen(options, publicOrigin, local.port, host);
    const close = async (): Promise<void> => {
      await Promise.all([local.close(), network.close()]);
    };
    return { url, networkUrl: networkUrl(host, network.port), close };
  } catch (error) {
    await local.close();
    throw error;
  }
}

async function listen(
  options: GatewayOptions,
  publicOrigin: URL | undefined,
  wanted: number,
  network?: string,
): Promise<{ port: number; close(): Promise<void> }> {
  let served = 0;
  let listener: Listener = { port: wanted, network };
  const server = createServer((request, response) => {
    served += 1;
    answer(request, listener, options, publicOrigin, served)
      .then((result) => send(request, response, result))
      // An answer that HTTP cannot carry, such as a header with a line end in it, ends its connection and no more.
      .catch(() => response.destroy());
  });
  const port = await listenOnLoopback(server, wanted, network);
  listener = { port, network };
  return { port, close: () => closeServer(server) };
}

async function answer(
  request: IncomingMessage,
  listener: Listener,
  options: GatewayOptions,
  publicOrigin: URL | undefined,
  count: number,
): Promise<HttpResponse> {
  if (!isOwnHost(request, listener, publicOrigin)) return plain(403, 'Forbidden');
  const name = functionFor(request, options);
  if (name === undefined) return plain(404, 'Not Found');
  if (request.method === 'POST' && isForeign(request, publicOrigin)) return plain(403, 'Forbidden');
  const body = await readBody(request, bodyLimit).catch(() => undefined);
  if (body === undefined) return plain(413, 'Request Entity Too Large');
  const result = await options.registry.invoke(name, httpEvent(request, body, options.clock, count));
  return 'error' in result ? plain(500, 'Internal Server Error') : readResponse(result.payload);
}

function functionFor({ method, url }: IncomingMessage, options: GatewayOptions): string | undefined {
  const { get, post, paths = {} } = options;
  const [path = ''] = (url ?? '').split('?');
  if (method === 'GET' || method === 'HEAD') return Object.hasOwn(paths, path) ? paths[path] : get;
  return method === 'POST' ? post : undefined;
}

/**
 * Whether a POST was made by another site's page. Programs send no Origin. Without TLS a browser says nothing of the site,
 * so that our pages must let it name their Origin (`Referrer-Policy: same-origin`); a page elsewhere that says `no-referrer`
 * sends `null`, and only the browser's own word for "the same site" lets that in.
 */
function isForeign({ headers }: IncomingMessage, publicOrigin: URL | undefined): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  if (origin === undefined) return false;
  if (origin === 'null') return site !== 'same-origin';
  return origin !== `http://${host}` && origin !== publicOrigin?.origin;
}

// A handler may answer with a value that is no response at all; API Gateway then takes it for a JSON body.
function readResponse(payload: unknown): HttpResponse {
  const isResponse = typeof payload === 'object' && payload !== null && 'statusCode' in payload;
  if (!isResponse) {
    const headers = { 'content-type': 'application/json' };
    return responseSchema.parse({ statusCode: 200, headers, body: JSON.stringify(payload) });
  }
  const result = responseSchema.safeParse(payload);
  return result.success ? result.data : plain(500, 'Internal Server Error');
}

function send(request: IncomingMessage, response: ServerResponse, result: HttpResponse): void {
  const body = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
  for (const [name, value] of Object.entries(result.headers)) response.setHeader(name, String(value));
  if (result.cookies.length > 0) response.setHeader('set-cookie', result.cookies);
  response.setHeader('content-length', body.length);
  // A body that was left unread would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(result.statusCode);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function plain(statusCode: number, message: string): HttpResponse {
  const headers = { 'content-type': 'application/json' };
  return { statusCode, headers, cookies: [], body: JSON.stringify({ message }), isBase64Encoded: false };
}

function parseOrigin(publicUrl: string | undefined): URL | undefined {
  if (publicUrl === undefined) return undefined;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `public URL \`${publicUrl}\` is not an http or https URL`,
    );
  }
  // Links and forms begin at the root of the name.
  if (url.href !== `${url.origin}/`) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `public URL \`${url.origin}\` has more behind or before its name; give the name alone, such as \`https://care.example\``,
    );
  }
  return url;
}
