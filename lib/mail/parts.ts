import { CaregateError, isCaregateError } from '../errors.ts';
import { sha256 } from '../provenance/digest.ts';
import { cutText, visibleLine } from './characters.ts';
import { decodeText, unflowText } from './charset.ts';
import { safeFileName } from './filename.ts';
import { type HeaderFields, sendersOf } from './headers.ts';
import { type Leaf, type ParsedMail, parseLeaves } from './leaves.ts';
import { isTnef, type PackedFile, type PackedMail, unpackTnef } from './tnef.ts';
import type { Part } from './types.ts';
import { uudecode } from './uuencode.ts';

const deepestEmbedding = 6;
const mostParts = 1000;
/** Bytes of all embedded mails together: each level reads again what is in it. */
const mostEmbedded = 40 * 1024 * 1024;
/** How much of a part is read as text, in bytes and in UTF-16 code units; a page of it holds far less. */
const longestText = { bytes: 16_000_000, units: 4_000_000 };

/** What is left of the limits that hold for a mail and all that it holds. */
export interface Allowance {
  parts: number;
  embedded: number;
}

export const wholeAllowance = (): Allowance => ({ parts: mostParts, embedded: mostEmbedded });

/** Where parts stand, and how many more of them there may be. */
interface Place {
  /** The path above, with its dot. */
  readonly above: string;
  /** How many mails are around it. */
  readonly depth: number;
  readonly allowance: Allowance;
}

const headerNames =
  /^(?:from|sender|to|cc|bcc|subject|date|received|return-path|message-id|mime-version|content-[a-z-]+|reply-to|delivered-to|in-reply-to|references|x-[a-z0-9-]+|dkim-signature|resent-[a-z-]+)[ \t]*:/im;

/** Whether a mail's header stands at the start: at least one field that mails have, and nothing binary in it. */
export function looksLikeMail(raw: Uint8Array): boolean {
  const start = Buffer.from(raw.subarray(0, 65_536)).toString('latin1').trimStart();
  const header = start.split(/\r?\n\r?\n/, 1)[0] ?? '';
  return !header.includes('\0') && headerNames.test(header);
}

/**
 * The parts of a mail in their order, with those of the mails that it holds.
 * @throws CaregateError `MAIL_TOO_LARGE` for more parts than `place` has left
 */
export async function partsOf(mail: ParsedMail, place: Place): Promise<Part[]> {
  const parts: Part[] = [];
  for (const leaf of mail.leaves) {
    const path = countedPath(place, leaf.path);
    if (isMail(leaf.contentType)) {
      parts.push(...(await embeddedParts(leaf, path, place)));
    } else if (isPacked(leaf)) {
      parts.push(...(await packedParts(leaf, path, place)));
    } else {
      parts.push(partOf(leaf, path, place.above));
    }
  }
  return parts;
}

function countedPath({ above, allowance }: Place, path: string): string {
  allowance.parts -= 1;
  if (allowance.parts < 0) throw tooLarge('has over 1,000 parts');
  return `${above}${path}`;
}

const isMail = (contentType: string): boolean => /^message\/(?:rfc822|global)$/.test(contentType);

/** Outlook names what it packs by its type, and some servers by the file alone. */
function isPacked({ contentType, fileName, bytes }: Packable): boolean {
  if (/^application\/(?:vnd\.)?ms-tnef$/.test(contentType)) return true;
  return /^win(?:mail|dat)[^/]{0,20}\.dat$/i.test(fileName ?? '') && isTnef(bytes);
}

type Packable = Pick<Leaf, 'contentType' | 'fileName' | 'bytes'>;

/** An embedded mail and, below its path, its parts. What is not a mail, or too deep, stays one closed part. */
async function embeddedParts(leaf: Packable, path: string, { depth, allowance }: Place): Promise<Part[]> {
  const part = closedPart(leaf, path);
  if (!mayOpen(leaf, depth, allowance) || !looksLikeMail(leaf.bytes)) return [part];
  try {
    const mail = await parseLeaves(leaf.bytes);
    return [
      { ...part, text: mailHeads(mail.fields, mail.subject) },
      ...(await partsOf(mail, { above: `${path}.`, depth: depth + 1, allowance })),
    ];
  } catch (error) {
    if (isCaregateError(error, 'MAIL_UNREADABLE')) return [part];
    throw error;
  }
}

/** What Outlook packed: the letter and its files stand below it, as those of an embedded mail do. */
async function packedParts(leaf: Packable, path: string, { depth, allowance }: Place): Promise<Part[]> {
  const part = closedPart(leaf, path);
  const packed = mayOpen(leaf, depth, allowance) ? unpackTnef(leaf.bytes) : undefined;
  if (packed === undefined) return [part];
  const { from, date, subject } = packed;
  const place = { above: `${path}.`, depth: depth + 1, allowance };
  const parts = packed.whole ? [{ ...part, text: headerText(from, date, subject) }] : [part];
  parts.push(...packedBodies(packed, place));
  for (const [number, file] of packed.files.entries()) {
    const below = countedPath(place, String(packed.bodies.length + number + 1));
    parts.push(...(await packedFileParts(file, below, place)));
  }
  return parts;
}

function packedBodies({ bodies }: PackedMail, place: Place): Part[] {
  return bodies.map(({ contentType, charset, bytes }, number) => ({
    digest: sha256(bytes),
    contentType,
    role: contentType === 'text/plain' ? 'text' : contentType === 'text/html' ? 'html' : 'attachment',
    fileName: contentType === 'application/rtf' ? 'message.rtf' : undefined,
    path: countedPath(place, String(number + 1)),
    bytes,
    text: contentType === 'application/rtf' ? undefined : decodeText(bytes, charset),
    alternative: `${place.above}0`,
  }));
}

async function packedFileParts(file: PackedFile, path: string, place: Place): Promise<Part[]> {
  const { contentType, bytes } = file;
  const leaf = { contentType, fileName: file.name, bytes };
  if (isMail(contentType)) return embeddedParts(leaf, path, place);
  if (isPacked(leaf)) return packedParts(leaf, path, place);
  const text = contentType.startsWith('text/') ? decodeText(bytes, undefined) : undefined;
  const fileName = safeFileName(file.name);
  return [{ digest: sha256(bytes), contentType, fileName, role: 'attachment', path, bytes, text }];
}

function mayOpen({ bytes }: Packable, depth: number, allowance: Allowance): boolean {
  if (depth >= deepestEmbedding || bytes.length > allowance.embedded) return false;
  allowance.embedded -= bytes.length;
  return true;
}

function closedPart({ contentType, fileName, bytes }: Packable, path: string): Part {
  const name = safeFileName(fileName ?? '');
  return { digest: sha256(bytes), contentType, fileName: name, role: 'embedded', path, bytes };
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
  const cut = bytes.length > longestText.bytes;
  const start = cut ? bytes.subarray(0, longestText.bytes) : bytes;
  const text = cutText(decodeText(start, leaf.charset, cut), longestText.units);
  return leaf.flowed ? unflowText(text, leaf.deleteSpace) : text;
}

function mailHeads(fields: HeaderFields, subject: string): string {
  const sender = sendersOf(fields).map(({ name, address }) =>
    name === '' ? address : `${name} <${address}>`,
  );
  return headerText(sender.join(', '), fields.first('date') ?? '', subject);
}

function headerText(from: string, date: string, subject: string): string {
  const lines = [
    ['From', from],
    ['Date', date],
    ['Subject', subject],
  ] as const;
  return lines.map(([name, value]) => `${name}: ${cutText(visibleLine(value), 998)}`).join('\n');
}

export function tooLarge(what: string): CaregateError {
  return new CaregateError('MAIL_TOO_LARGE', `\`mail\` ${what}; forward less at once`);
}
