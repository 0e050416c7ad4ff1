import type { Message, Part } from '../mail/types.ts';
import type { Sha256 } from '../provenance/digest.ts';
import { calendarsOf } from './calendar.ts';
import { readHtml } from './html.ts';
import { type Reading, readingOf, unreadable } from './pages.ts';
import { readPdf } from './pdf.ts';
import { limits } from './schema.ts';
import type { CaseDocument, DocumentKind } from './types.ts';

/** The documents of a message, in the order of its parts, and the bytes behind them. */
export interface DocumentSet {
  readonly documents: readonly CaseDocument[];
  readonly bytes: ReadonlyMap<Sha256, Uint8Array>;
}

/**
 * Reads every part of a message as a document. The same bytes are one document; of the renderings of one body, the
 * plain text is the document unless it says next to nothing; a body of blanks beside other documents is none.
 *
 * @param message attacker-controlled
 */
export async function documentsOf(message: Message): Promise<DocumentSet> {
  const documents: CaseDocument[] = [];
  const bytes = new Map<Sha256, Uint8Array>();
  let budget: number = limits.text;
  for (const part of chosenParts(message.parts)) {
    if (bytes.has(part.digest) || documents.length >= limits.documents) continue;
    const kind = kindOf(part);
    const reading = await read(part, kind, budget);
    budget -= reading.pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0);
    bytes.set(part.digest, part.bytes);
    documents.push({
      id: part.digest,
      alias: `d${documents.length + 1}`,
      kind,
      name: nameOf(part, kind),
      contentType: part.contentType.slice(0, 200),
      size: part.bytes.length,
      ...reading,
    });
  }
  return { documents, bytes };
}

/** Which parts become documents: of the renderings of one body those of one role, and no empty body beside others. */
function chosenParts(parts: readonly Part[]): readonly Part[] {
  const chosen = parts.filter((part) => !isBody(part) || part.role === bestRole(renderings(parts, part)));
  const filled = chosen.filter((part) => !isBody(part) || hasText(part));
  return filled.length > 0 ? filled : chosen.slice(0, 1);
}

function renderings(parts: readonly Part[], part: Part): readonly Part[] {
  if (part.alternative === undefined) return [part];
  return parts.filter((each) => isBody(each) && each.alternative === part.alternative);
}

/** Plain text hides nothing, so it is read where it says anything; else the page that it stands for. */
function bestRole(bodies: readonly Part[]): Part['role'] | undefined {
  const wordy = bodies.some((each) => each.role === 'text' && saysSomething(each));
  const shown = bodies.some((each) => each.role === 'html' && hasText(each));
  return !wordy && shown ? 'html' : (bodies.find((each) => each.role === 'text')?.role ?? bodies[0]?.role);
}

const isBody = (part: Part): boolean => part.role === 'text' || part.role === 'html';

function hasText(part: Part): boolean {
  const reading = part.role === 'html' ? bodyOf(part) : readingOf([part.text ?? '']);
  return reading.unread !== 'empty';
}

const bodies = new WeakMap<Part, Reading>();

/** A page of HTML is asked for several times, and read once. */
function bodyOf(part: Part): Reading {
  const reading = bodies.get(part) ?? readHtml(part.text ?? '');
  bodies.set(part, reading);
  return reading;
}

/** Some senders' plain text only says that the mail needs a program that shows HTML. */
function saysSomething(part: Part): boolean {
  const start = (part.text ?? '').slice(0, 10_000);
  const words = start.match(/\p{L}{2,}/gu) ?? [];
  const excuse = /\bhtml\b/i.test(start) && words.length < 40;
  return words.length >= 5 && !excuse;
}

const pdfMagic = Buffer.from('%PDF-');
const calendarMagic = /^\s*BEGIN:VCALENDAR\b/i;

/** What a part is: its type decides, and its first bytes where the type says nothing. */
function kindOf({ role, contentType, fileName, bytes }: Part): DocumentKind {
  if (role === 'embedded') return 'mail';
  const ending = /\.([a-z0-9]{1,5})$/i.exec(fileName ?? '')?.[1]?.toLowerCase();
  const head = Buffer.from(bytes.subarray(0, 1024));
  if (contentType === 'application/pdf' || head.includes(pdfMagic)) return 'pdf';
  if (contentType === 'text/calendar' || contentType === 'application/ics') return 'calendar';
  if (calendarMagic.test(head.toString('latin1'))) return 'calendar';
  if (contentType === 'text/html' || ending === 'html' || ending === 'htm') return 'html';
  if (/^text\/(?:plain|csv|markdown|x-markdown)$/.test(contentType)) return 'text';
  if (contentType.startsWith('image/')) return 'image';
  const vague = contentType === 'application/octet-stream';
  return vague && /^(?:txt|csv|md)$/.test(ending ?? '') ? 'text' : 'other';
}

async function read(part: Part, kind: DocumentKind, budget: number): Promise<Reading> {
  const text =
    part.text ?? new TextDecoder().decode(kind === 'text' || kind === 'html' ? part.bytes : undefined);
  switch (kind) {
    case 'text':
      return readingOf([text], budget);
    case 'html':
      return within(part.role === 'html' ? bodyOf(part) : readHtml(text), budget);
    case 'pdf':
      return within(await readPdf(part.bytes), budget);
    case 'calendar':
      return readCalendar(part.text ?? new TextDecoder().decode(part.bytes), budget);
    case 'mail':
      return part.text === undefined
        ? unreadable(part.bytes.length === 0 ? 'empty' : 'damaged')
        : readingOf([text], budget);
    case 'image':
    case 'other':
      return unreadable(part.bytes.length === 0 ? 'empty' : 'unsupported');
  }
}

function within(reading: Reading, budget: number): Reading {
  return reading.unread === undefined ? { ...readingOf(reading.pages, budget), ...marks(reading) } : reading;
}

function marks({ truncated }: Reading): Pick<Reading, 'truncated'> {
  return truncated === undefined ? {} : { truncated };
}

/** A calendar's own text. One that does not parse is shown all the same, and called damaged. */
function readCalendar(text: string, budget: number): Reading {
  const reading = readingOf([unfold(text)], budget);
  const broken = reading.unread === undefined && calendarsOf(reading.pages.join('\n')) === undefined;
  return broken ? { ...reading, unread: 'damaged' } : reading;
}

/** Calendar lines are folded after 75 bytes (RFC 5545, 3.1); they are shown, and quoted, unfolded. */
function unfold(text: string): string {
  return text.replace(/\r?\n[ \t]/g, '');
}

const names: Readonly<Record<DocumentKind, string>> = {
  text: 'Message text',
  html: 'Message text',
  pdf: 'Document.pdf',
  calendar: 'Invitation.ics',
  image: 'Image',
  mail: 'Forwarded mail',
  other: 'Attachment',
};

/** A name that is safe to show: the file name, which is sanitised already, or what the document is. */
function nameOf(part: Part, kind: DocumentKind): string {
  if (part.fileName !== undefined) return part.fileName;
  return isBody(part) || kind !== 'text' ? names[kind] : 'Text attachment';
}
