import { safeFileName } from '../mail/filename.ts';
import type { Message, Part } from '../mail/types.ts';
import { type Sha256, sha256 } from '../provenance/digest.ts';
import { calendarsOf } from './calendar.ts';
import { readHtml } from './html.ts';
import { readImage } from './image.ts';
import { kindOf, nameOf } from './kinds.ts';
import { type DocumentReading, type Picture, type Reading, readingOf, unreadable } from './pages.ts';
import { Patience } from './patience.ts';
import { readPdf } from './pdf.ts';
import type { CarriedFile } from './pdffile.ts';
import { limits } from './schema.ts';
import type { CaseDocument, DocumentKind } from './types.ts';
import { readWord } from './word.ts';

/** The documents of a message, in the order of its parts, and the bytes behind them. */
export interface DocumentSet {
  readonly documents: readonly CaseDocument[];
  readonly bytes: ReadonlyMap<Sha256, Uint8Array>;
  /** The pages that are pictures, and wait to be read by whoever can read pictures. */
  readonly pictures: readonly DocumentPicture[];
}

export interface DocumentPicture extends Picture {
  readonly document: Sha256;
}

/**
 * Reads every part of a message as a document, and every file that one of them carries. The same bytes are one document;
 * of the renderings of one body, the plain text is the document unless it says next to nothing; a body of blanks beside
 * other documents is none.
 *
 * @param message attacker-controlled
 */
export async function documentsOf(message: Message, patience = new Patience()): Promise<DocumentSet> {
  const set = new Documents(patience);
  for (const part of chosenParts(message.parts)) await set.add(part);
  return set;
}

/** How deep files lie in files before the next one is left where it is. */
const deepest = 3;

/** A file that another one carries is read as a part is. */
type Readable = Pick<Part, 'role' | 'contentType' | 'fileName' | 'bytes' | 'digest' | 'text'>;

class Documents implements DocumentSet {
  readonly documents: CaseDocument[] = [];
  readonly bytes = new Map<Sha256, Uint8Array>();
  readonly pictures: DocumentPicture[] = [];
  readonly #patience: Patience;
  #budget: number = limits.text;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  async add(part: Readable, within?: Sha256, depth = 0): Promise<void> {
    if (this.bytes.has(part.digest) || this.documents.length >= limits.documents) return;
    const kind = kindOf(part);
    const { files = [], pictures = [], ...reading } = await read(part, kind, this.#budget, this.#patience);
    this.#budget -= reading.pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0);
    this.bytes.set(part.digest, part.bytes);
    this.documents.push({
      id: part.digest,
      alias: `d${this.documents.length + 1}`,
      kind,
      name: nameOf(part, kind),
      contentType: part.contentType.slice(0, 200),
      size: part.bytes.length,
      ...reading,
      ...(within === undefined ? {} : { within }),
    });
    this.pictures.push(...pictures.map((picture) => ({ ...picture, document: part.digest })));
    if (depth < deepest) for (const file of files) await this.add(carried(file), part.digest, depth + 1);
  }
}

function carried({ name, bytes }: CarriedFile): Readable {
  return {
    role: 'attachment',
    contentType: 'application/octet-stream',
    fileName: safeFileName(name),
    bytes,
    digest: sha256(bytes),
  };
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

async function read(
  part: Readable,
  kind: DocumentKind,
  budget: number,
  patience: Patience,
): Promise<DocumentReading> {
  if (part.bytes.length === 0 && kind !== 'text' && kind !== 'html') return unreadable('empty');
  const text =
    part.text ?? new TextDecoder().decode(kind === 'text' || kind === 'html' ? part.bytes : undefined);
  switch (kind) {
    case 'text':
      return readingOf([text], budget);
    case 'html':
      return within(isPart(part) ? bodyOf(part) : readHtml(text), budget);
    case 'pdf':
      return within(await readPdf(part.bytes, patience), budget);
    case 'word':
      return within(await readWord(part.bytes, patience), budget);
    case 'calendar':
      return readCalendar(part.text ?? new TextDecoder().decode(part.bytes), budget);
    case 'mail':
      return part.text === undefined ? unreadable('damaged') : readingOf([text], budget);
    case 'image':
      return readImage(part.bytes, patience);
    case 'other':
      return unreadable('unsupported');
  }
}

const isPart = (part: Readable): part is Part => part.role === 'html';

/** A reading whose text is cut to what is left for the mail. */
function within(reading: DocumentReading, budget: number): DocumentReading {
  if (reading.unread !== undefined) return reading;
  const { pages, unread, truncated } = readingOf(reading.pages, budget);
  return { ...reading, pages, ...(unread && { unread }), ...(truncated && { truncated }) };
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
