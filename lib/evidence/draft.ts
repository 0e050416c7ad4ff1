import { cutText } from '../mail/characters.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import { limits } from './schema.ts';

/** One page of a document, as extraction reads it. */
export interface Page {
  readonly document: Sha256;
  readonly number: number;
  readonly text: string;
  /** Whether the text was read from a picture. */
  readonly transcribed?: true | undefined;
}

/** A stretch of a page's text. */
export interface Stretch {
  readonly index: number;
  readonly length: number;
}

const longestValue: Readonly<Partial<Record<FactKind, number>>> = {
  appointment_title: 200,
  appointment_place: 300,
  appointment_uid: 300,
  answer: 2000,
};

/**
 * A fact as extraction finds it, its quote cut out of the page: the words themselves, and as much of their line as
 * fits. It has its id when all are found.
 */
export function draftFact(page: Page, kind: FactKind, value: string, stretch: Stretch): Fact<'UNTRUSTED'> {
  const source = {
    document: page.document,
    page: page.number,
    quote: quoteAround(page.text, stretch),
    ...(page.transcribed === true ? { transcribed: page.transcribed } : {}),
  };
  return { id: '', kind, value: cutText(value, longestValue[kind] ?? 300), source, trust: 'UNTRUSTED' };
}

/** The line or lines in which a stretch stands, or as much around it as a quote holds. Verbatim. */
export function quoteAround(text: string, { index, length }: Stretch): string {
  const lineStart = text.lastIndexOf('\n', index - 1) + 1;
  const feed = text.indexOf('\n', index + length);
  const lineEnd = feed === -1 ? text.length : feed;
  if (lineEnd - lineStart <= limits.quote) return text.slice(lineStart, lineEnd).trim();
  const room = Math.max(0, Math.floor((limits.quote - length) / 2));
  const start = Math.max(lineStart, index - room);
  const end = Math.min(lineEnd, index + length + room, start + limits.quote);
  return wellFormed(text.slice(start, end)).trim();
}

/** A cut may go through a pair of surrogates; half of one is no character. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
