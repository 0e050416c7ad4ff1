import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { ServiceRequest, ServiceResponse } from './service.ts';

/**
 * Hands a request to an HTTP server's own listener, in this process, without a connection: a server that never listens
 * is one that nobody else can reach. It serves listeners that read the request by events and answer with one `end`.
 */
export function dispatch(server: Server, request: ServiceRequest): Promise<ServiceResponse> {
  return new Promise((resolve) => {
    const incoming = Object.assign(new EventEmitter(), {
      method: request.method,
      url: target(request),
      headers: request.headers,
    });
    server.emit('request', incoming, new Outgoing(resolve));
    if (request.body.length > 0) incoming.emit('data', Buffer.from(request.body));
    incoming.emit('end');
  });
}

class Outgoing {
  statusCode = 200;
  readonly #headers: Record<string, string> = {};
  readonly #done: (response: ServiceResponse) => void;

  constructor(done: (response: ServiceResponse) => void) {
    this.#done = done;
  }

  setHeader(name: string, value: string | number): void {
    this.#headers[name.toLowerCase()] = String(value);
  }

  end(body: string | Uint8Array = ''): void {
    this.#done({ status: this.statusCode, headers: this.#headers, body });
  }
}

function target({ path, query }: ServiceRequest): string {
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
