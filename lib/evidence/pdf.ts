import { getDocumentProxy } from 'unpdf';
import { type Reading, readingOf, unreadable } from './pages.ts';
import { limits } from './schema.ts';

const largestPdf = 25 * 1024 * 1024;

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/**
 * The text of a PDF, page by page; the values of its form fields stand below the text of their page, since they are
 * not part of it. A locked file, a scan and a broken file are each called what they are.
 *
 * @param bytes attacker-controlled
 */
export async function readPdf(bytes: Uint8Array): Promise<Reading> {
  if (bytes.length > largestPdf) return unreadable('too_large');
  let pdf: PdfDocument;
  try {
    pdf = await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
    });
  } catch (error) {
    return unreadable(error instanceof Error && error.name === 'PasswordException' ? 'locked' : 'damaged');
  }
  try {
    const reading = readingOf(await pageTexts(pdf));
    const scanned = reading.unread === 'empty' && hasImage(bytes);
    return scanned ? { ...reading, unread: 'scanned' } : reading;
  } catch {
    return unreadable('damaged');
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function pageTexts(pdf: PdfDocument): Promise<string[]> {
  const texts: string[] = [];
  for (let number = 1; number <= Math.min(pdf.numPages, limits.pages + 1); number += 1) {
    const page = await pdf.getPage(number);
    const fields = await fieldLines(page);
    texts.push([await textOf(page), ...fields].join('\n'));
    page.cleanup();
  }
  return texts;
}

async function textOf(page: PdfPage): Promise<string> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  return withoutLigatures(text);
}

/** Printers' ligatures and the long s, as which some PDFs come out, are spelled out: nobody searches for them. */
function withoutLigatures(text: string): string {
  return text.replace(/[\ufb00-\ufb06\u017f]/g, (letter) => letter.normalize('NFKC'));
}

interface Annotation {
  readonly fieldType?: unknown;
  readonly fieldName?: unknown;
  readonly fieldValue?: unknown;
  readonly hidden?: unknown;
}

async function fieldLines(page: PdfPage): Promise<string[]> {
  const annotations: readonly Annotation[] = await page.getAnnotations();
  return annotations.flatMap(({ fieldType, fieldName, fieldValue, hidden }) => {
    const values = [fieldValue].flat().filter((value) => typeof value === 'string');
    const value = values.join(', ').trim();
    if (hidden === true || typeof fieldType !== 'string' || value === '' || value === 'Off') return [];
    return [typeof fieldName === 'string' && fieldName !== '' ? `${fieldName}: ${value}` : value];
  });
}

/** An image is a stream, and a stream's dictionary is never compressed: so the bytes themselves tell. */
function hasImage(bytes: Uint8Array): boolean {
  return /\/Subtype\s*\/Image\b/.test(Buffer.from(bytes).toString('latin1'));
}
