import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CaregateError } from '../../errors.ts';

/** How long a closing server waits for answers that are under way. */
const graceMilliseconds = 2000;

/**
 * Binds a server to 127.0.0.1 and to nothing else, unless an address on the network is asked for.
 * @param port the port, or 0 for any that is free
 * @returns the port that was bound
 * @throws CaregateError `PORT_IN_USE`, or `CONFIGURATION_INVALID` where the port cannot be bound for another reason
 */
export function listenOnLoopback(server: Server, port: number, address = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRNOTAVAIL' ? addressError(error, address) : listenError(error, port));
    server.once('error', refuse);
    server.listen(port, address, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function addressError(cause: Error, address: string): CaregateError {
  const text = `host \`${address}\` is no address that this machine has now; look it up, and have the router keep it`;
  return new CaregateError('CONFIGURATION_INVALID', text, { cause });
}

/** What a failed bind means. */
export function listenError(error: NodeJS.ErrnoException, port: number): CaregateError {
  if (error.code === 'EADDRINUSE') {
    return new CaregateError(
      'PORT_IN_USE',
      `port \`${port}\` is taken by another program; choose another, or 0`,
      { cause: error },
    );
  }
  return new CaregateError(
    'CONFIGURATION_INVALID',
    `port \`${port}\` cannot be bound; choose another, or 0`,
    {
      cause: error,
    },
  );
}

/** Stops a server: no new connections, a moment for what is under way, then the rest is cut. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Reads a request's body.
 * @returns the bytes, or nothing if there are more than `limit` of them; the rest is then left unread
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Whether an address is on this machine, where secrets may travel without TLS. */
export function isOnThisMachine(address: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(address).hostname);
}

/** Whether a Host header names this very server by a loopback name: what a rebound DNS name cannot do. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** A request's headers by lower-case name, each as one text. */
export function flatHeaders(request: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return flat;
}
