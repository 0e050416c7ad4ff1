import { sameAddress } from './address.ts';
import type { Message } from './types.ts';

/** What Gmail asks before a mailbox may forward by itself to an address: the code that its owner enters there. */
export interface ForwardingCode {
  readonly code: string;
  /** The mailbox that wants to forward, as Gmail names it. */
  readonly mailboxes: readonly string[];
}

const gmail = 'forwarding-noreply@google.com';
const inSubject = /^\s{0,5}\([^()\d]{0,10}(\d{6,12})\)/u;
const inBody = /\b(?:code|código|codice)\b[^\d\n]{0,60}(\d{6,12})(?!\d)/iu;
const address = /[^\s<>()[\],;:"']{1,64}@[^\s<>()[\],;:"']{1,255}/gu;

/**
 * The code in a mail by which Gmail has a forwarding address confirmed. Whether Gmail wrote it is for the receiver's
 * verdicts to say. The link in it is never followed: the code is for a person to enter.
 *
 * @param message attacker-controlled
 */
export function forwardingCodeIn(message: Message): ForwardingCode | undefined {
  const [from, ...others] = message.from;
  if (from === undefined || others.length > 0 || !sameAddress(from.address, gmail)) return undefined;
  const body = message.parts.find(({ role }) => role === 'text')?.text?.slice(0, 5000) ?? '';
  const code = (inSubject.exec(message.subject) ?? inBody.exec(body))?.[1];
  if (code === undefined) return undefined;
  const named = `${message.subject} ${body}`.match(address) ?? [];
  return { code, mailboxes: named.map((each) => each.replace(/[.!?]+$/u, '')) };
}
