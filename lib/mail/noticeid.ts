import type { Message } from './types.ts';

/**
 * The Message-ID of a notice, without its brackets. A service that gives ids of its own to what it sends writes over it, so
 * a notice names it in References too: whoever answers carries it along (RFC 5322, 3.6.4).
 * @param unique 32 hexadecimal digits, different for each notice and person
 * @param sender the address that notices of the circle come from
 */
export function noticeMessageId(unique: string, sender: string): string {
  return `${unique}@${domainOf(sender)}`;
}

/**
 * Whether a mail answers a notice of this sender, as it says itself. What hands something in as well is no mere answer:
 * it is read like any other mail.
 */
export function answersNotice({ answers = [], parts }: Message, sender: string): boolean {
  const domain = domainOf(sender);
  const handsIn = parts.some(({ role }) => role === 'attachment' || role === 'embedded');
  return !handsIn && answers.some((id) => /^[0-9a-f]{32}@/.test(id) && domainOf(id) === domain);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
