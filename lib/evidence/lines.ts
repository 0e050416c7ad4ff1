import type { Stretch } from './draft.ts';

/** A page's lines, with where each stands in the text. */
export class PageLines {
  readonly texts: readonly string[];
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.texts = text.split('\n');
    let at = 0;
    this.#starts = this.texts.map((line) => {
      const start = at;
      at += line.length + 1;
      return start;
    });
  }

  /** The number of the line in which a character stands. */
  lineAt(index: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  startOf(line: number): number {
    return this.#starts[line] ?? 0;
  }

  textOf(line: number): string {
    return this.texts[line] ?? '';
  }
}

/** Words found in a page. */
export interface Finding extends Stretch {
  readonly value: string;
}

/** The words of a stretch on one line, without the punctuation at their ends; nothing if nothing is left. */
export function findingOf(text: string, index: number, length: number): Finding | undefined {
  const raw = text.slice(index, index + length);
  const trimmed = raw.replace(/[\s,;:.–—|•*·-]+$/u, '');
  const start = /^[\s,;:.–—|•*·>-]*/u.exec(trimmed)?.[0].length ?? 0;
  const value = trimmed.slice(start).replace(/\s+/gu, ' ');
  if (!/\p{L}{2}/u.test(value)) return undefined;
  return { value, index: index + start, length: trimmed.length - start };
}
