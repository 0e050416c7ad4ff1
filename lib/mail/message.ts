import { CaregateError, isCaregateError } from '../errors.ts';
import { sha256 } from '../provenance/digest.ts';
import { cutText, visibleLine } from './characters.ts';
import { decodeText, unflowText } from './charset.ts';
import { safeFileName } from './filename.ts';
import { addressesOf, automaticOf, dateOf, type HeaderFields, sendersOf } from './headers.ts';
import { type Leaf, type ParsedMail, parseLeaves } from './leaves.ts';
import { messageIdOf } from './trace.ts';
import type { Message, Part } from './types.ts';
import { uudecode } from './uuencode.ts';

/** The largest mail that the inbox takes, as SES does: 40 MB. */
export const largestMail = 40 * 1024 * 1024;
const deepestEmbedding = 6;
const mostParts = 1000;

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
    automatic: automaticOf(fields),
    parts: await partsOf(mail, '', 0, { left: mostParts }),
  };
}

const headerNames =
  /^(?:from|sender|to|cc|bcc|subject|date|received|return-path|message-id|mime-version|content-[a-z-]+|reply-to|delivered-to|in-reply-to|references|x-[a-z0-9-]+|dkim-signature|resent-[a-z-]+)[ \t]*:/im;

/** Whether a mail's header stands at the start: at least one field that mails have, and nothing binary in it. */
function looksLikeMail(raw: Uint8Array): boolean {
  const start = Buffer.from(raw.subarray(0, 65_536)).toString('latin1').trimStart();
  const header = start.split(/\r?\n\r?\n/, 1)[0] ?? '';
  return !header.includes('\0') && headerNames.test(header);
}

async function partsOf(
  mail: ParsedMail,
  above: string,
  depth: number,
  count: { left: number },
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const leaf of mail.leaves) {
    count.left -= 1;
    if (count.left < 0) throw tooLarge('has over 1,000 parts');
    const path = `${above}${leaf.path}`;
    if (/^message\/(?:rfc822|global)$/.test(leaf.contentType)) {
      parts.push(...(await embeddedParts(leaf, path, depth + 1, count)));
    } else {
      parts.push(partOf(leaf, path, above));
    }
  }
  return parts;
}

/** An embedded mail and, below its path, its parts. What is not a mail, or too deep, stays one closed part. */
async function embeddedParts(
  leaf: Leaf,
  path: string,
  depth: number,
  count: { left: number },
): Promise<Part[]> {
  const fileName = safeFileName(leaf.fileName ?? '');
  const { contentType, bytes } = leaf;
  const part: Part = { digest: sha256(bytes), contentType, fileName, role: 'embedded', path, bytes };
  if (depth > deepestEmbedding || !looksLikeMail(bytes)) return [part];
  try {
    const mail = await parseLeaves(bytes);
    return [
      { ...part, text: headerText(mail.fields, mail.subject) },
      ...(await partsOf(mail, `${path}.`, depth, count)),
    ];
  } catch (error) {
    if (isCaregateError(error, 'MAIL_UNREADABLE')) return [part];
    throw error;
  }
}

function partOf(leaf: Leaf, path: string, above: string): Part {
  const decoded = /^(?:x-)?uu(?:e|encode)$/.test(leaf.encoding) ? uudecode(leaf.bytes) : undefined;
  const bytes = decoded ?? leaf.bytes;
  const fileName = safeFileName(leaf.fileName ?? '');
  return {
    digest: sha256(bytes),
    contentType: leaf.contentType,
    fileName,
    role: roleOf(leaf),
    path,
    bytes,
    text: textOf(leaf, bytes),
    alternative: leaf.alternative === undefined ? undefined : `${above}${leaf.alternative}`,
  };
}

/** A body is text or HTML that the mail shows in place; a text with a file name is an attached file. */
function roleOf({ contentType, disposition, fileName }: Leaf): Part['role'] {
  if (disposition === 'attachment' || fileName !== undefined) return 'attachment';
  if (contentType === 'text/plain') return 'text';
  return contentType === 'text/html' ? 'html' : 'attachment';
}

function textOf(leaf: Leaf, bytes: Uint8Array): string | undefined {
  if (!leaf.contentType.startsWith('text/')) return undefined;
  const text = decodeText(bytes, leaf.charset);
  return leaf.flowed ? unflowText(text, leaf.deleteSpace) : text;
}

function headerText(fields: HeaderFields, subject: string): string {
  const sender = sendersOf(fields).map(({ name, address }) =>
    name === '' ? address : `${name} <${address}>`,
  );
  const lines = [
    ['From', sender.join(', ')],
    ['Date', fields.first('date') ?? ''],
    ['Subject', subject],
  ] as const;
  return lines.map(([name, value]) => `${name}: ${cutText(visibleLine(value), 998)}`).join('\n');
}

function tooLarge(what: string): CaregateError {
  return new CaregateError('MAIL_TOO_LARGE', `\`mail\` ${what}; forward less at once`);
}
