import { cutText, visibleText } from '../mail/characters.ts';
import { invisibleTexts } from './invisible.ts';
import type { CarriedFile } from './pdffile.ts';
import type { PictureFormat } from './pictureformat.ts';
import { limits } from './schema.ts';
import type { UnreadReason } from './types.ts';

/** What reading a document's bytes gave. */
export interface Reading {
  readonly pages: readonly string[];
  readonly unread?: UnreadReason | undefined;
  readonly truncated?: true | undefined;
  readonly transcribed?: readonly number[] | undefined;
  readonly unseen?: readonly number[] | undefined;
  /** What the bytes hold and a person does not see, piece by piece, as {@link hiddenTexts} gives it. */
  readonly hidden?: readonly string[] | undefined;
}

/** A page that is a picture, in a form that a model can be shown. */
export interface Picture {
  readonly page: number;
  readonly format: PictureFormat;
  readonly bytes: Uint8Array;
}

/** What a document that can hold more than text gave. */
export interface DocumentReading extends Reading {
  readonly files?: readonly CarriedFile[] | undefined;
  /** The pages that have to be looked at to be read. */
  readonly pictures?: readonly Picture[] | undefined;
}

/** How much of a text is looked at for what a page may hold of it, in UTF-16 code units. */
const longestText = 1_000_000;

/**
 * The pages as they are kept: visible characters only, without blank ends and doubled blank lines, cut to what a page
 * and a document may hold. A document of blanks has no text, and says so. What is written in invisible characters is set
 * aside as hidden.
 *
 * @param texts page by page; attacker-controlled
 */
export function readingOf(texts: readonly string[], budget: number = limits.text): Reading {
  let left = budget;
  let truncated = texts.length > limits.pages;
  const unseen = texts.slice(0, limits.pages).flatMap((text) => invisibleTexts(cutText(text, longestText)));
  const pages = texts.slice(0, limits.pages).map((text) => {
    const tidy = tidyText(cutText(text, longestText));
    const page = cutBytes(tidy, Math.min(limits.page, left));
    if (page.length < tidy.length || text.length > longestText) truncated = true;
    left -= Buffer.byteLength(page);
    return page;
  });
  const read = withHidden({ pages: pages.length === 0 ? [''] : pages }, unseen);
  if (pages.every((page) => page === '')) return { ...read, unread: truncated ? 'too_large' : 'empty' };
  return truncated ? { ...read, truncated } : read;
}

/** Hidden text as it is kept: whole pieces up to what a document may hold of it. */
export function hiddenTexts(texts: readonly string[]): string[] {
  let left: number = limits.hidden;
  return texts.slice(0, limits.pages).flatMap((text) => {
    const piece = cutBytes(tidyText(cutText(text, limits.hidden)), left);
    left -= Buffer.byteLength(piece);
    return piece.trim() === '' ? [] : [piece];
  });
}

/** A reading with more text that nobody sees. */
export function withHidden<R extends Reading>(reading: R, texts: readonly string[]): R {
  if (texts.length === 0) return reading;
  const hidden = hiddenTexts([...texts, ...(reading.hidden ?? [])]);
  return hidden.length === 0 ? reading : { ...reading, hidden };
}

export function unreadable(unread: UnreadReason): Reading {
  return { pages: [''], unread };
}

/**
 * Letters that are another way to print the usual ones, spelled out, so that words are found: ligatures and the long s,
 * Arabic and Hebrew as it is printed, wide and mathematical letters and digits. Fractions and small figures stay: 5½ is
 * not 51⁄2.
 */
function plainLetters(text: string): string {
  return text.replace(printed, (letters) => letters.normalize('NFKC'));
}

const printed = /[\u017f\ufb00-\ufdff\ufe70-\ufefc\uff01-\uff5e\u{1d400}-\u{1d7ff}]+/gu;

function tidyText(text: string): string {
  const lines = visibleText(plainLetters(text))
    .split('\n')
    .map((line) => line.trimEnd());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd();
}

function cutBytes(text: string, longest: number): string {
  if (Buffer.byteLength(text) <= longest) return text;
  const bytes = Buffer.from(text).subarray(0, Math.max(0, longest));
  return new TextDecoder().decode(bytes).replace(/\ufffd+$/u, '');
}
