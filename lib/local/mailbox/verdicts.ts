import type { Verdicts } from './event.ts';

/** The connection that a mail came through. */
export interface InboxSession {
  readonly remoteAddress: string;
  /** Whether the client signed in. */
  readonly authenticated: boolean;
}

/** The envelope of a mail: what the client said, attacker-controlled wherever the client is. */
export interface InboxEnvelope {
  readonly source: string;
  readonly recipients: readonly string[];
}

export type VerdictsOf = (session: InboxSession, envelope: InboxEnvelope) => Verdicts;

const loopback = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Whether an address is one that only programs on this machine can connect from. */
export function isLoopbackAddress(address: string): boolean {
  return loopback.test(address);
}

/** Whether an inbox that listens on a host is for programs on this machine alone. */
export function isForThisMachine(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/**
 * The verdicts of a receiver that asks no DNS. On one machine whoever can reach the loopback port is the household: it
 * could as well edit the circle's file or the data directory. So a mail that is handed in there under the name of someone
 * whom the circle knows is that person's, and passes. Of any other mail nothing is known: its sender's checks are GRAY
 * and it was not scanned, which quarantines it. The sender's name alone passes nothing: a mail from beyond loopback
 * stays GRAY even where its client signed in, since a forwarder hands on what strangers wrote. For the same reason a mail
 * server that takes mail from the internet must not be pointed at the loopback port under these verdicts.
 *
 * @param senders the addresses of the circle's people and contacts, asked anew for each mail
 */
export function householdVerdicts(senders: () => readonly string[]): VerdictsOf {
  return (session, envelope) => {
    const source = envelope.source.toLowerCase();
    const known = senders().some((sender) => sender.toLowerCase() === source);
    if (known && isLoopbackAddress(session.remoteAddress)) {
      return { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' };
    }
    return { spam: 'DISABLED', virus: 'DISABLED', spf: 'GRAY', dkim: 'GRAY', dmarc: 'GRAY' };
  };
}
