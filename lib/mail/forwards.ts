import { normaliseAddress } from './address.ts';
import { attributionAt } from './attribution.ts';
import { forwardedHeaderAt } from './forwardheader.ts';
import { type QuotedLine, quotedLines } from './forwardlines.ts';
import { writtenDate } from './writtendates.ts';

/** Words of a text, and where they stand in it. */
export interface Passage {
  readonly text: string;
  readonly index: number;
  readonly length: number;
}

/** What a mail program wrote above a mail that it forwarded or quoted. */
export interface ForwardedHeader {
  readonly from: Passage;
  readonly date?: Passage | undefined;
  readonly subject?: Passage | undefined;
  /** The numbers of its first line and of the first line behind it. */
  readonly first: number;
  readonly next: number;
}

/** Somebody as a forwarded header names them. The address is there only where exactly one is written. */
export interface OriginalSender extends Passage {
  readonly name: string;
  readonly address?: string | undefined;
}

/** One mail that another one holds as part of its text. All of it is attacker-controlled: anybody can write a header. */
export interface Forward {
  /** 1 for a mail that was forwarded, 2 for one that was forwarded in that one, … */
  readonly depth: number;
  readonly from: OriginalSender;
  /** `value` is nothing where the words leave open which day is meant. */
  readonly date?: (Passage & { readonly value?: string | undefined }) | undefined;
  readonly subject?: Passage | undefined;
  /** Where its header stands, and where its own text: up to the end of the quotation, inner mails included. */
  readonly header: Omit<Passage, 'text'>;
  readonly body: Omit<Passage, 'text'>;
}

/** What stands deeper, or comes after as many, stays part of the text that it is in. */
const deepestForward = 8;
const mostForwards = 40;

/**
 * The mails that a text holds because a mail program forwarded or quoted them inline. What is not surely a header is
 * none: then the text is left whole. The time grows with the length of the text.
 *
 * @param text attacker-controlled
 * @param options `certain` for a text that is nothing but the header of an embedded mail
 */
export function forwardsIn(text: string, options: { certain?: boolean } = {}): Forward[] {
  const lines = quotedLines(text);
  const found: Forward[] = [];
  const open: { level: number }[] = [];
  let at = 0;
  while (at < lines.length && found.length < mostForwards) {
    const certain = options.certain === true && at === 0;
    const header = forwardedHeaderAt(lines, at, certain) ?? attributionAt(lines, at);
    if (header === undefined) {
      at += 1;
      continue;
    }
    const level = lines[header.first]?.level ?? 0;
    while ((open.at(-1)?.level ?? 0) > level) open.pop();
    open.push({ level });
    if (open.length <= deepestForward) found.push(forwardOf(text, lines, header, open.length));
    at = header.next;
  }
  return found;
}

function forwardOf(
  text: string,
  lines: readonly QuotedLine[],
  header: ForwardedHeader,
  depth: number,
): Forward {
  const { from, date, subject, first, next } = header;
  const start = lines[first]?.index ?? 0;
  const bodyStart = lines[next]?.index ?? text.length;
  const bodyEnd = quotationEnd(text, lines, next, lines[first]?.level ?? 0);
  return {
    depth,
    from: { ...from, ...senderIn(from.text) },
    date: date === undefined ? undefined : { ...date, value: writtenDate(date.text) },
    subject,
    header: { index: start, length: bodyStart - start },
    body: { index: bodyStart, length: Math.max(0, bodyEnd - bodyStart) },
  };
}

/** A quotation ends before the first line with words that is quoted less; what is not quoted goes on to the end. */
function quotationEnd(text: string, lines: readonly QuotedLine[], from: number, level: number): number {
  if (level === 0) return text.length;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at];
    if (line !== undefined && line.level < level && line.text.trim() !== '') return line.index;
  }
  return text.length;
}

const addresses = /[^\s<>()[\],;:"'|]{1,64}@[^\s<>()[\],;:"'|]{1,255}/gu;

/** The name and the address in the words of a sender. Of two different addresses none is taken: never a guess. */
function senderIn(words: string): { name: string; address?: string | undefined } {
  const found = [...words.matchAll(addresses)].flatMap(([word]) => normaliseAddress(word) ?? []);
  const [address, ...others] = new Set(found);
  const name = words
    .replace(addresses, ' ')
    .replace(/mailto:|[<>()[\]|"“”„«»]/giu, ' ')
    .replace(/(?<=^|\s)'|'(?=\s|$)/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/ (?=[,;])/gu, '')
    .trim();
  return { name, address: others.length > 0 ? undefined : address };
}
