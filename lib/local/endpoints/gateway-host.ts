import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { CaregateError } from '../../errors.ts';
import { isLoopbackHost, isOnThisMachine } from './loopback.ts';

/** A socket that the pages are served on. */
export interface Listener {
  readonly port: number;
  /** The address on the local network that it is bound to; nothing for this machine alone. */
  readonly network?: string | undefined;
}

/**
 * Whether a request names a host that a listener answers for: the public one; this machine's own names where it comes
 * from here; and on the local network the address that was asked for. Host is attacker-controlled: a name that somebody
 * points at this machine still names itself, and what comes over the network can call itself local.
 */
export function isOwnHost(
  { headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>,
  { port, network }: Listener,
  publicOrigin: URL | undefined,
): boolean {
  const host = headers.host?.toLowerCase();
  if (host === undefined) return false;
  // A public address by a name of this machine, for a trial, opens nothing to what comes over the network or a proxy.
  const isPublic = publicOrigin !== undefined && !isOnThisMachine(publicOrigin.href);
  if (isPublic && withoutPort(host, publicOrigin.protocol) === publicOrigin.host) return true;
  if (network !== undefined) return host === new URL(networkUrl(network, port)).host;
  const isOwn = isLoopbackHost(host, port) || (!isPublic && host === publicOrigin?.host);
  return isOwn && !isForwarded(headers, httpVersion);
}

/**
 * Whether a proxy passed a request on. What it calls by a loopback name came from elsewhere all the same, and pages
 * that are for this machine alone are not for it. Older proxies say nothing, and speak HTTP/1.0.
 */
function isForwarded(headers: IncomingMessage['headers'], httpVersion: string): boolean {
  const marks = ['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'];
  return (
    httpVersion === '1.0' ||
    Object.keys(headers).some((name) => marks.includes(name) || name.startsWith('x-forwarded-'))
  );
}

function withoutPort(host: string, protocol: string): string {
  return host.replace(protocol === 'https:' ? /:443$/ : /:80$/, '');
}

/** The address of the pages on the local network. */
export function networkUrl(address: string, port: number): string {
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/**
 * Checks an address on the local network.
 * @throws CaregateError `CONFIGURATION_INVALID` for a name, for "every address", for this machine's own, and for one of the
 *   older kind that is written as one of the newer
 */
export function checkNetworkAddress(address: string): void {
  const isOne = isIP(address) !== 0 && !/^(?:0\.0\.0\.0|127\.0\.0\.1|[:0]+1?|::ffff:.*)$/i.test(address);
  if (isOne) return;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `host \`${address}\` is not one address of this machine on its network; write one such as \`192.168.1.20\``,
  );
}

/** Whoever a request came from: the last hop before a proxy on this machine, and otherwise whoever connected. */
export function sourceOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const peer = socket.remoteAddress ?? '';
  const last = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  const fromHere = peer === '127.0.0.1' || peer === '::1' || peer === '::ffff:127.0.0.1';
  return fromHere && last !== undefined && isIP(last) !== 0 ? last : peer;
}
