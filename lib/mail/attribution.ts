import type { QuotedLine } from './forwardlines.ts';
import type { ForwardedHeader } from './forwards.ts';

const starts = /^(?:on|am|le|el|il|op|em|a|den|d\.|dne|dnia|w dniu|vào)\s/iu;
const verbs =
  /(?:^|[\s>)])(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|geschreven|escreveu|skrev|napsal(?:\(a\))?|napisał(?:\(a\))?|följande)(?:\s|\s?[:：]$)/iu;
const longest = 400;
/** How many lines a mail program may fold it into. */
const mostLines = 3;

/**
 * The line by which some programs introduce the mail below it: `On 4 March 2027 at 09:30, Anna <anna@…> wrote:`. It
 * counts only with an address in it: words like these stand in letters too.
 */
export function attributionAt(lines: readonly QuotedLine[], at: number): ForwardedHeader | undefined {
  const first = lines[at];
  if (first === undefined || !starts.test(first.text.trimStart().slice(0, 12))) return undefined;
  let words = '';
  let end = first.index;
  for (let next = at; next < at + mostLines && next < lines.length; next += 1) {
    const line = lines[next] as QuotedLine;
    if (line.text.trim() === '' || line.text.length > longest) return undefined;
    words += words === '' ? line.text : ` ${line.text}`;
    end = line.index + line.text.length;
    if (!/[:：]$/u.test(words)) continue;
    return verbs.test(words)
      ? readAttribution(words, { first: at, next: next + 1, index: first.index, end })
      : undefined;
  }
  return undefined;
}

function readAttribution(
  words: string,
  where: { first: number; next: number; index: number; end: number },
): ForwardedHeader | undefined {
  const found = /[^\s<>()[\]"':,;]{1,64}@[^\s<>()[\]"':,;]{1,255}/u.exec(words);
  if (found === null) return undefined;
  const [before, address] = [words.slice(0, found.index), found[0]];
  const passage = { index: where.index, length: where.end - where.index };
  const name = nameBefore(before);
  const [date] = before.split(name === '' ? '<' : name);
  return {
    from: { ...passage, text: `${name} <${address}>`.trim() },
    date: { ...passage, text: (date ?? '').trim() },
    first: where.first,
    next: where.next,
  };
}

/** The name right before an address: in quotation marks, or behind the last comma or verb. One with digits is a date. */
function nameBefore(before: string): string {
  const plain = before
    .replace(/[\s<([]+$/u, '')
    .replace(/mailto:$/iu, '')
    .replace(/[\s<([]+$/u, '');
  const quoted = /["“„«]\s?([^"“”„«»]{1,200}?)\s?["”“»]$/u.exec(plain.slice(-220))?.[1];
  if (quoted !== undefined) return quoted;
  const pieces = plain.slice(-220).split(/,\s|\s(?:schrieb|schreef|heeft|skrev)\s/iu);
  const last = pieces.length > 1 ? (pieces.at(-1) ?? '').trim() : '';
  return /\p{L}{2}/u.test(last) && !/\d/u.test(last) ? last : '';
}
