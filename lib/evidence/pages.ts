import { cutText, visibleText } from '../mail/characters.ts';
import { limits } from './schema.ts';
import type { UnreadReason } from './types.ts';

/** What reading a document's bytes gave. */
export interface Reading {
  readonly pages: readonly string[];
  readonly unread?: UnreadReason | undefined;
  readonly truncated?: true | undefined;
}

/** How much of a text is looked at for what a page may hold of it, in UTF-16 code units. */
const longestText = 1_000_000;

/**
 * The pages as they are kept: visible characters only, without blank ends and doubled blank lines, cut to what a page
 * and a document may hold. A document of blanks has no text, and says so.
 *
 * @param texts page by page; attacker-controlled
 */
export function readingOf(texts: readonly string[], budget: number = limits.text): Reading {
  let left = budget;
  let truncated = texts.length > limits.pages;
  const pages = texts.slice(0, limits.pages).map((text) => {
    const tidy = tidyText(cutText(text, longestText));
    const page = cutBytes(tidy, Math.min(limits.page, left));
    if (page.length < tidy.length || text.length > longestText) truncated = true;
    left -= Buffer.byteLength(page);
    return page;
  });
  const read = { pages: pages.length === 0 ? [''] : pages };
  if (pages.every((page) => page === '')) return { ...read, unread: truncated ? 'too_large' : 'empty' };
  return truncated ? { ...read, truncated } : read;
}

export function unreadable(unread: UnreadReason): Reading {
  return { pages: [''], unread };
}

function tidyText(text: string): string {
  const lines = visibleText(text)
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
