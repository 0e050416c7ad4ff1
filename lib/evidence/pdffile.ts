import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import {
  operatorNames,
  type PageText,
  type PdfDocument,
  type PdfPage,
  paintingsOf,
  readPage,
} from './pdfpage.ts';
import { type PagePicture, pictureOf } from './pdfpicture.ts';

/** A file that a PDF carries, byte for byte. Name and bytes are attacker-controlled. */
export interface CarriedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What is in a PDF. */
export interface PdfFile {
  readonly pages: readonly PageText[];
  readonly files: readonly CarriedFile[];
  /** Whether there is more than is taken: pages, or files. */
  readonly more: boolean;
}

/** What a PDF may hold before the rest is left in it, unread. */
export interface PdfBounds {
  readonly pages: number;
  readonly files: number;
  /** Bytes of all carried files together. */
  readonly carried: number;
}

const options = { disableFontFace: true, useSystemFonts: false, verbosity: 0, stopAtErrors: false };
/** An image of one dot: every other is left out, since words are read without decoding pictures. */
const noImages = 1;
/** A page of A4 at six hundred dots to the inch. */
const largestImage = 36_000_000;

/**
 * Reads a PDF: the words of its pages, and the files that it carries. Images are not decoded.
 * @param bytes attacker-controlled: called where time and memory are bounded
 * @throws what pdf.js throws: a `PasswordException` for a locked file
 */
export async function readPdfFile(bytes: Uint8Array, bounds: PdfBounds): Promise<PdfFile> {
  const names = operatorNames(await getResolvedPDFJS());
  const pdf = await getDocumentProxy(bytes, { ...options, maxImageSize: noImages });
  try {
    const pages: PageText[] = [];
    const carrier = new Carrier(pdf, bounds);
    await carrier.takeAttachments();
    for (let number = 1; number <= Math.min(pdf.numPages, bounds.pages); number += 1) {
      const page = await pdf.getPage(number);
      pages.push(await readPage(pdf, page, names));
      await carrier.takePinned(page);
      page.cleanup();
    }
    return { pages, files: carrier.files, more: carrier.more || pdf.numPages > bounds.pages };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/**
 * The picture that a page is, if it is one.
 * @param number from 1
 */
export async function readPdfPicture(bytes: Uint8Array, number: number): Promise<PagePicture> {
  const names = operatorNames(await getResolvedPDFJS());
  const pdf = await getDocumentProxy(bytes, { ...options, maxImageSize: largestImage });
  try {
    const page = await pdf.getPage(number);
    return await pictureOf(page, await paintingsOf(pdf, page, names));
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Takes the files out of a PDF, up to its bounds. */
class Carrier {
  readonly files: CarriedFile[] = [];
  more = false;
  readonly #pdf: PdfDocument;
  readonly #bounds: PdfBounds;
  #left: number;

  constructor(pdf: PdfDocument, bounds: PdfBounds) {
    this.#pdf = pdf;
    this.#bounds = bounds;
    this.#left = bounds.carried;
  }

  async takeAttachments(): Promise<void> {
    const attachments: unknown = await this.#pdf.getAttachments();
    for (const [id, file] of attachments instanceof Map ? attachments : []) {
      await this.#take(String(id), (file as { filename?: unknown }).filename);
    }
  }

  /** Files that are pinned to a place on a page. */
  async takePinned(page: PdfPage): Promise<void> {
    const annotations: readonly { subtype?: unknown; file?: unknown; fileId?: unknown }[] =
      await page.getAnnotations();
    for (const { subtype, file, fileId } of annotations) {
      if (subtype !== 'FileAttachment') continue;
      await this.#take(String(fileId ?? ''), (file as { filename?: unknown } | undefined)?.filename);
    }
  }

  async #take(id: string, name: unknown): Promise<void> {
    if (this.files.length >= this.#bounds.files) {
      this.more = true;
      return;
    }
    const bytes: unknown = await this.#pdf.getAttachmentContent(id);
    if (!(bytes instanceof Uint8Array)) return;
    if (bytes.length > this.#left) {
      this.more = true;
      return;
    }
    this.#left -= bytes.length;
    this.files.push({ name: typeof name === 'string' ? name : '', bytes: new Uint8Array(bytes) });
  }
}
