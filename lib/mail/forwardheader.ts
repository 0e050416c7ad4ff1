import { type HeaderField, inlineFields, isSeparator, labelOf } from './forwardlabels.ts';
import { type QuotedLine, trimmedLine } from './forwardlines.ts';
import type { ForwardedHeader, Passage } from './forwards.ts';

/** A header field with its value. */
interface Field {
  readonly field: HeaderField;
  readonly value: Passage;
}

interface Block {
  readonly fields: readonly Field[];
  readonly next: number;
}

/** Header lines and lines that fold them: no mail program writes more above a mail. */
const mostLines = 40;

/**
 * The header of a forwarded mail that starts at a line. Below a separator the sender and one more field make one. On
 * its own a header needs sender, date, subject and an address, as a letter may have lines that only look like it.
 *
 * @param certain whether the lines are known to be a header
 */
export function forwardedHeaderAt(
  lines: readonly QuotedLine[],
  at: number,
  certain: boolean,
): ForwardedHeader | undefined {
  const separated = isSeparator(textOf(lines, at));
  const first = separated ? skipBlank(lines, at + 1, 2) : at;
  const opening = labelOf(textOf(lines, first))?.field ?? 'other';
  if (opening === 'other' || opening === 'cc') return undefined;
  const block = separated ? (inlineBlock(lines, first) ?? blockAt(lines, first)) : blockAt(lines, first);
  const one = (field: HeaderField): Passage | undefined => {
    const value = block.fields.find((each) => each.field === field)?.value;
    return value === undefined || value.text === '' ? undefined : value;
  };
  const [from, date, subject] = [one('from'), one('date'), one('subject')];
  if (from === undefined || !namesSomebody(from.text)) return undefined;
  const enough =
    separated || certain
      ? date !== undefined || subject !== undefined
      : date !== undefined && subject !== undefined && (one('to') !== undefined || from.text.includes('@'));
  return enough ? { from, date, subject, first: at, next: block.next } : undefined;
}

/** A sender is an address or words; what starts with a number is a time or a place. */
function namesSomebody(text: string): boolean {
  return text.includes('@') || (/\p{L}{2}/u.test(text) && !/^\d/u.test(text));
}

const textOf = (lines: readonly QuotedLine[], at: number): string => lines[at]?.text.trim() ?? '';

function skipBlank(lines: readonly QuotedLine[], from: number, most: number): number {
  let at = from;
  while (at < from + most && at < lines.length && textOf(lines, at) === '') at += 1;
  return at;
}

/** The fields from a line on, each once: what comes again belongs to the mail itself. */
function blockAt(lines: readonly QuotedLine[], first: number): Block {
  const fields: Field[] = [];
  const seen = new Set<HeaderField>();
  let at = first;
  while (at < first + mostLines && at < lines.length) {
    const line = trimmedLine(lines[at] as QuotedLine);
    const label = labelOf(line.text);
    if (label !== undefined && (label.field === 'other' || label.field === 'cc' || !seen.has(label.field))) {
      seen.add(label.field);
      const value = foldedValue(lines, at, label.at, label.field);
      fields.push({ field: label.field, value: value.passage });
      at = value.next;
      continue;
    }
    // Programs that make a paragraph of each field leave a blank line between them.
    const next = skipBlank(lines, at, 1);
    const more = next > at ? labelOf(textOf(lines, next)) : undefined;
    if (more === undefined || isComplete(seen) || seen.has(more.field)) break;
    at = next;
  }
  return { fields, next: at };
}

const isComplete = (seen: ReadonlySet<HeaderField>): boolean =>
  seen.has('from') && seen.has('date') && seen.has('subject');

/** A field's value, with the lines that fold it: lines that go on with more addresses, or that are indented. */
function foldedValue(
  lines: readonly QuotedLine[],
  at: number,
  start: number,
  field: HeaderField,
): { passage: Passage; next: number } {
  const first = trimmedLine(lines[at] as QuotedLine);
  const index = first.index + start;
  let [text, length] = [first.text.slice(start).trim(), Math.max(0, first.text.length - start)];
  let next = at + 1;
  while (next < at + 10 && next < lines.length) {
    const line = lines[next] as QuotedLine;
    const words = line.text.trim();
    if (words === '' || labelOf(words) !== undefined || !continues(text, line.text, field)) break;
    text = `${text} ${words}`;
    length = line.index + line.text.length - index;
    next += 1;
  }
  return { passage: { text: text.trim(), index, length }, next };
}

function continues(before: string, line: string, field: HeaderField): boolean {
  if (/^\s/u.test(line) && before !== '') return true;
  if (field === 'to' || field === 'cc')
    return /[,;]$/u.test(before) || /^<?[^\s<>@]+@[^\s<>@]+>?[,;]?$/u.test(line);
  return field === 'from' && !before.includes('@') && /^\s?[<[][^<>[\]]{3,330}[>\]]$/u.test(line.trim());
}

/** A header whose fields stand on one line, as a program leaves it that lost the line feeds. */
function inlineBlock(lines: readonly QuotedLine[], at: number): Block | undefined {
  const line = trimmedLine(lines[at] as QuotedLine);
  const starts = inlineFields(line.text);
  if (starts.length < 3) return undefined;
  const fields = starts.flatMap((start, number) => {
    const end = starts[number + 1] ?? line.text.length;
    const piece = line.text.slice(start, end);
    const label = labelOf(piece);
    if (label === undefined) return [];
    const text = piece.slice(label.at).trimEnd();
    return [
      { field: label.field, value: { text, index: line.index + start + label.at, length: text.length } },
    ];
  });
  return { fields, next: at + 1 };
}
