import {
  type DocumentReading,
  type Picture,
  type Reading,
  readingOf,
  unreadable,
  withHidden,
} from './pages.ts';
import { Patience } from './patience.ts';
import type { PdfFile } from './pdffile.ts';
import type { PageText } from './pdfpage.ts';
import type { PagePicture } from './pdfpicture.ts';
import { limits } from './schema.ts';

/** The largest file that is opened, in bytes. */
const largestPdf = 25 * 1024 * 1024;
/** A page with fewer letters than this may be a picture of a page. */
const sparse = 100;
const bounds = { pages: limits.pages, files: 20, carried: 20 * 1024 * 1024 };

/**
 * The text of a PDF, page by page, as a person sees it; the values of its form fields stand below the text of their
 * page. A locked file, a scan, a broken file and one that takes more than it may are each called what they are.
 *
 * @param bytes attacker-controlled
 */
export async function readPdf(
  bytes: Uint8Array,
  patience: Patience = new Patience(),
): Promise<DocumentReading> {
  if (bytes.length > largestPdf) return unreadable('too_large');
  const result = await patience.run('pdf', [bytes, bounds]);
  if (result.ended === 'stopped') return unreadable('too_large');
  if (result.ended === 'failed')
    return unreadable(result.error === 'PasswordException' ? 'locked' : 'damaged');
  const scans = await scannedPages(bytes, result.value, patience);
  return { ...pagesOf(result.value, scans), files: result.value.files, pictures: picturesOf(scans) };
}

/** The pages that are pictures, by their number. Looking for more ends with the first that takes more than it may. */
async function scannedPages(
  bytes: Uint8Array,
  { pages }: PdfFile,
  patience: Patience,
): Promise<ReadonlyMap<number, PagePicture>> {
  const scans = new Map<number, PagePicture>();
  if (!hasImage(bytes)) return scans;
  for (const [index, page] of pages.entries()) {
    if (lettersIn(page.text) >= sparse) continue;
    if (scans.size >= limits.pictures) {
      scans.set(index + 1, { scanned: true });
      continue;
    }
    const result = await patience.run('picture', [bytes, index + 1]);
    if (result.ended === 'stopped') scans.set(index + 1, { scanned: true });
    else if (result.ended === 'done' && result.value.scanned) scans.set(index + 1, result.value);
    if (result.ended === 'stopped') break;
  }
  // A file of blank pages that holds an image all the same holds one too large to be decoded.
  const blank = pages.every(({ text, layer }) => text === '' && layer === '');
  if (blank && scans.size === 0) scans.set(1, { scanned: true });
  return scans;
}

/** An image is a stream, and a stream's dictionary is never compressed: so the bytes themselves tell. */
function hasImage(bytes: Uint8Array): boolean {
  return /\/Subtype\s*\/Image\b/.test(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
  );
}

function pagesOf({ pages, more }: PdfFile, scans: ReadonlyMap<number, PagePicture>): Reading {
  const layered = pages.flatMap((page, index) =>
    scans.has(index + 1) && page.layer !== '' ? [index + 1] : [],
  );
  const reading = readingOf(
    pages.map((page, index) => (scans.has(index + 1) ? scannedText(page) : page.text)),
  );
  const unseen = [...scans.keys()].filter((number) => !layered.includes(number));
  const hidden = pages.flatMap((page, index) => hiddenText(page, scans.has(index + 1)));
  return {
    ...withHidden(reading, hidden),
    ...(reading.unread === 'empty' && unseen.length > 0 ? { unread: 'scanned' } : {}),
    ...(more ? { truncated: true } : {}),
    ...(layered.length > 0 ? { transcribed: layered } : {}),
    ...(unseen.length > 0 ? { unseen } : {}),
  };
}

/** A scanner lays the words that it made out over the picture, painted with nothing: they are all there is to read so far. */
function scannedText({ text, layer }: PageText): string {
  return layer === '' ? text : layer;
}

function hiddenText({ hidden }: PageText, scanned: boolean): string[] {
  return [hidden.others, scanned ? '' : hidden.layer].filter((text) => text.trim() !== '');
}

function picturesOf(scans: ReadonlyMap<number, PagePicture>): Picture[] {
  return [...scans].flatMap(([page, { png }]) =>
    png === undefined ? [] : [{ page, format: 'png', bytes: png }],
  );
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
