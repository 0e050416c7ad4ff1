import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { faultResponse, ServiceFault } from './fault.ts';
import { closeServer, flatHeaders, isLoopbackHost, listenOnLoopback, readBody } from './loopback.ts';
import { payloadHash, readPayload } from './payload.ts';
import type { Service, ServiceRequest, ServiceResponse } from './service.ts';
import { type Credentials, parseAuthorization, sha256Hex, verifySignature } from './signature.ts';

export type { Credentials } from './signature.ts';

/** Larger than the largest mail (40 MB) with its framing; a body beyond it is refused unread. */
const bodyLimit = 64 * 1024 * 1024;

export interface EndpointOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** The port to bind, or 0 (the default) for any that is free. */
  readonly port?: number;
  /** Told of faults of the service itself; never of content. */
  readonly log?: (line: string) => void;
}

export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves one AWS service on 127.0.0.1. It answers only requests that are signed (SigV4) with the given credentials, name
 * this very server as their Host and carry no Origin: neither another program nor a web page can use it.
 * @throws CaregateError `PORT_IN_USE`
 */
export async function startEndpoint(service: Service, options: EndpointOptions): Promise<Endpoint> {
  let served = 0;
  const server = createServer((request, response) => {
    served += 1;
    const id = sha256Hex(`${service.name} ${isoTime(options.clock)} ${served}`).slice(0, 32);
    answer(server, service, options, request, id)
      .then((result) => send(request, response, result, id, options.clock, server.listening))
      // An answer that HTTP cannot carry, such as a header with a line end in it, ends its connection and no more.
      .catch(() => response.destroy());
  });
  // A connection that is closed for being idle can meet the client's next request, and its outcome is then unknown.
  server.keepAliveTimeout = 0;
  const port = await listenOnLoopback(server, options.port ?? 0);
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

async function answer(
  server: Server,
  service: Service,
  options: EndpointOptions,
  request: IncomingMessage,
  id: string,
): Promise<ServiceResponse> {
  try {
    const { port } = server.address() as AddressInfo;
    return await service.handle(await admit(request, service.name, port, options));
  } catch (error) {
    if (error instanceof ServiceFault) return faultResponse(service.name, error, id);
    options.log?.(
      `${service.name}: request ${id} failed: ${error instanceof Error ? error.name : 'unknown'}`,
    );
    const fault = new ServiceFault(500, 'InternalFailure', 'the service failed; see the log of the office');
    return faultResponse(service.name, fault, id);
  }
}

/** Lets a request in, in ordered steps: where it comes from, whose key it names, how large it is, its signature. */
async function admit(
  request: IncomingMessage,
  service: string,
  port: number,
  { credentials, clock }: EndpointOptions,
): Promise<ServiceRequest> {
  const headers = flatHeaders(request);
  if (!isLoopbackHost(headers.host, port) || headers.origin !== undefined) throw foreign();
  const authorization = parseAuthorization(headers.authorization, service, credentials);
  const { path, query } = parseTarget(request.url ?? '');
  const raw = await readBody(request, bodyLimit);
  if (raw === undefined) throw tooLarge(service);
  const announced = headers['x-amz-content-sha256'];
  const method = request.method ?? '';
  const signed = { method, path, query, headers, payloadHash: payloadHash(service, announced, raw) };
  const signature = verifySignature(signed, authorization, credentials, clock);
  const { body, trailers } = readPayload(announced, raw, signature);
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers: { ...headers, ...trailers },
    body,
  };
}

function parseTarget(url: string): { path: string; query: [string, string][] } {
  if (!url.startsWith('/')) throw malformed();
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const pairs = mark < 0 ? [] : url.slice(mark + 1).split('&');
  try {
    decodeURIComponent(path);
    const query = pairs
      .filter((pair) => pair !== '')
      .map((pair): [string, string] => {
        const [name = '', ...value] = pair.split('=');
        return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
      });
    return { path, query };
  } catch {
    throw malformed();
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  result: ServiceResponse,
  id: string,
  clock: Clock,
  open: boolean,
): void {
  if (result.status === 0) {
    request.socket.destroy();
    return;
  }
  // The SDK sets its clock by this header, so a test's clock reaches the client too.
  response.sendDate = false;
  const body = Buffer.from(result.body ?? '');
  const length = request.method === 'HEAD' ? {} : { 'content-length': String(body.length) };
  // A body that was left unread would be taken for the next request, so that connection ends.
  const connection = !open || !request.complete ? { connection: 'close' } : {};
  response.writeHead(result.status, {
    date: new Date(clock.now()).toUTCString(),
    'x-amzn-requestid': id,
    ...length,
    ...connection,
    ...result.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function foreign(): ServiceFault {
  return new ServiceFault(403, 'AccessDenied', 'the request names another host or comes from a web page');
}

function malformed(): ServiceFault {
  return new ServiceFault(400, 'InvalidURI', 'the request target is not a percent-encoded path and query');
}

function tooLarge(service: string): ServiceFault {
  const fault = service === 's3' ? 'EntityTooLarge' : 'RequestEntityTooLarge';
  return new ServiceFault(413, fault, `the body is larger than ${bodyLimit} bytes; send less`);
}
