import { CaregateError } from '../errors.ts';
import { cutText, visibleLine } from './characters.ts';
import { addressesOf, answersOf, automaticOf, dateOf, sendersOf } from './headers.ts';
import { parseLeaves } from './leaves.ts';
import { looksLikeMail, partsOf, tooLarge, wholeAllowance } from './parts.ts';
import { messageIdOf } from './trace.ts';
import type { Message } from './types.ts';

/** The largest mail that the inbox takes, as SES does: 40 MB. */
export const largestMail = 40 * 1024 * 1024;

/**
 * Reads one mail: every part with its very bytes, embedded mails included.
 * @param raw the bytes as they were received; attacker-controlled
 * @throws CaregateError `MAIL_UNREADABLE` if they are not a mail, `MAIL_TOO_LARGE` over 40 MB or 1,000 parts
 */
export async function parseMessage(raw: Uint8Array): Promise<Message> {
  if (raw.length > largestMail) throw tooLarge('is over 40 MB');
  if (!looksLikeMail(raw)) {
    throw new CaregateError('MAIL_UNREADABLE', '`mail` is not a mail; hand over a whole .eml file');
  }
  const mail = await parseLeaves(raw);
  const { fields } = mail;
  const messageIdHeader = fields.first('message-id');
  return {
    id: messageIdOf(raw),
    from: sendersOf(fields),
    to: addressesOf(fields, 'to'),
    subject: cutText(visibleLine(mail.subject), 998),
    date: dateOf(fields.first('date')),
    messageIdHeader: messageIdHeader === undefined ? undefined : cutText(visibleLine(messageIdHeader), 998),
    answers: answersOf(fields),
    automatic: automaticOf(fields),
    parts: await partsOf(mail, { above: '', depth: 0, allowance: wholeAllowance() }),
  };
}
