import { separatorLength } from './forwardlabels.ts';

/** One line of a text without the marks that say it is quoted. */
export interface QuotedLine {
  readonly text: string;
  /** Where `text` starts in the whole. */
  readonly index: number;
  /** How many quotation marks stand before it. */
  readonly level: number;
}

/** Of a longer line only the start is looked at: no header field of a letter is as long. */
const longestLine = 4000;

/**
 * The lines of a text, each with its depth of quotation. What stands on one line with a separator becomes a line of its
 * own, as some programs lose the line feeds of the header that they write.
 */
export function quotedLines(text: string): QuotedLine[] {
  const lines: QuotedLine[] = [];
  let at = 0;
  for (const whole of text.split('\n')) {
    const marks = /^[ \t\u00a0]{0,8}(?:>[ \t\u00a0]?){0,40}/u.exec(whole.slice(0, 120))?.[0] ?? '';
    const quoted = marks.includes('>') ? marks : '';
    const level = quoted.split('>').length - 1;
    const line = whole.slice(quoted.length, longestLine).trimEnd();
    const split = separatorLength(line);
    const index = at + quoted.length;
    if (split > 0) lines.push({ text: line.slice(0, split), index, level });
    lines.push({ text: line.slice(split), index: index + split, level });
    at += whole.length + 1;
  }
  return lines;
}

/** The line without the blanks at its start, so that it still knows where it stands. */
export function trimmedLine({ text, index, level }: QuotedLine): QuotedLine {
  const start = text.trimStart();
  return { text: start, index: index + text.length - start.length, level };
}
