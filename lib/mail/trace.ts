import { sha256 } from '../provenance/digest.ts';
import type { MessageId } from '../provenance/identifiers.ts';

/**
 * The id of a mail: the SHA-256 of its bytes without the trace headers that our own receiver put in front, so that a
 * redelivery, which differs in nothing else, is the same message. A receiver adds them before the first byte of
 * the sender's, so only the leading run is left out, and of `Received` only the first: the second is the
 * sender's own server's.
 *
 * @param raw the mail as it was received
 */
export function messageIdOf(raw: Uint8Array): MessageId {
  return sha256(raw.subarray(traceLength(raw)));
}

const traceNames = /^(?:return-path|received|x-ses-[a-z0-9-]*|received-spf|authentication-results)$/;

/** How many bytes at the start of a mail are the receiver's trace headers, folded lines included. */
export function traceLength(raw: Uint8Array): number {
  let end = 0;
  let received = 0;
  while (end < raw.length) {
    const name = fieldName(raw, end);
    if (name === undefined || !traceNames.test(name)) break;
    if (name === 'received' && ++received > 1) break;
    end = fieldEnd(raw, end);
  }
  return end;
}

/**
 * The address that our own receiver wrote into its trace header (`for …`, RFC 5321, 4.4), where it named one. Only the
 * first `Received` of the leading run is ours; whatever a sender wrote stands behind it.
 */
export function receivedFor(raw: Uint8Array): string | undefined {
  const trace = Buffer.from(raw.subarray(0, traceLength(raw))).toString('latin1');
  const [, received = ''] = /^received:((?:[^\r\n]|\r?\n[ \t])*)/im.exec(trace) ?? [];
  return /\sfor\s+<?([^\s<>;]{3,320})>?\s*;/i.exec(received)?.[1];
}

const colon = 0x3a;
const longestName = 76;

function fieldName(raw: Uint8Array, start: number): string | undefined {
  for (let at = start; at < raw.length && at - start <= longestName; at += 1) {
    const byte = raw[at] ?? 0;
    if (byte === colon) return Buffer.from(raw.subarray(start, at)).toString('latin1').trim().toLowerCase();
    if (byte < 0x20 || byte > 0x7e) return undefined;
  }
  return undefined;
}

/** Where the field that starts at `start` ends: after the first line that no folded line follows. */
function fieldEnd(raw: Uint8Array, start: number): number {
  let at = start;
  while (at < raw.length) {
    const feed = raw.indexOf(0x0a, at);
    if (feed === -1) return raw.length;
    at = feed + 1;
    const next = raw[at];
    if (next !== 0x20 && next !== 0x09) return at;
  }
  return raw.length;
}
