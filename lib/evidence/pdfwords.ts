import type { Painting } from './paintings.ts';

type Words = Extract<Painting, { kind: 'words' }>;
type Area = Extract<Painting, { kind: 'area' }>;

/** Words that a page's content holds and nobody sees on it. */
export interface HiddenWords {
  readonly words: Words;
  /** Whether they are a text that paints nothing, as scanners lay it over the picture that they have read. */
  readonly layer: boolean;
}

/** The page's box: what lies outside it is on no screen and no paper. */
export type PageBox = readonly [left: number, bottom: number, right: number, top: number];

const smallest = 1.5;
const paintsNothing: ReadonlySet<number> = new Set([3, 7]);

/** Which words of a page nobody sees: painted with nothing, in the colour of the paper, tiny, or beside the page. */
export function hiddenWords(paintings: readonly Painting[], box: PageBox): HiddenWords[] {
  const areas: Area[] = [];
  return paintings.flatMap((painting) => {
    if (painting.kind === 'area' && !isPaper(painting.colour)) areas.push(painting);
    if (painting.kind !== 'words' || painting.text.trim() === '') return [];
    const layer = paintsNothing.has(painting.mode);
    const hidden = layer || isUnseen(painting, box) || (isPaper(painting.colour) && !liesOn(painting, areas));
    return hidden ? [{ words: painting, layer }] : [];
  });
}

function isUnseen(words: Words, box: PageBox): boolean {
  return words.off || words.alpha < 0.05 || words.height < smallest || isBeside(words, box);
}

function isBeside({ from, to, height }: Words, [left, bottom, right, top]: PageBox): boolean {
  const beside = Math.max(from.x, to.x) < left || Math.min(from.x, to.x) > right;
  const beyond = Math.max(from.y, to.y) + height < bottom || Math.min(from.y, to.y) > top;
  return beside || beyond;
}

/** Whether a colour is that of the paper, or next to it. */
function isPaper(colour: string): boolean {
  const channels = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)?.slice(1) ?? [];
  return channels.length === 3 && channels.every((channel) => Number.parseInt(channel, 16) >= 0xf4);
}

/** Light letters on something dark are a heading, and are seen. */
function liesOn({ from }: Words, areas: readonly Area[]): boolean {
  return areas.some(({ corners: [a, b] }) => isBetween(from.x, a.x, b.x) && isBetween(from.y, a.y, b.y));
}

const isBetween = (value: number, a: number, b: number): boolean =>
  value >= Math.min(a, b) - 1 && value <= Math.max(a, b) + 1;

/** A stretch of text on a line, as pdf.js joins it from what is painted there. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/**
 * The items without the words that nobody sees. Words are found in them by where they stand and what they say; those
 * that are not found stay.
 */
export function withoutWords(items: readonly TextItem[], hidden: readonly HiddenWords[]): TextItem[] {
  if (hidden.length === 0) return [...items];
  const texts = items.map(({ str }) => str);
  for (const { words } of hidden) {
    const wanted = squeezed(words.text).text;
    if (wanted === '') continue;
    const index = items.findIndex(
      (item, at) => stretchOf(item, words, texts[at] ?? '', wanted) !== undefined,
    );
    const item = items[index];
    const stretch = item && stretchOf(item, words, texts[index] ?? '', wanted);
    if (stretch === undefined) continue;
    const text = texts[index] ?? '';
    // Blanks take the place, so that what follows stays where it is.
    texts[index] =
      text.slice(0, stretch.start) + ' '.repeat(stretch.end - stretch.start) + text.slice(stretch.end);
  }
  return items.map((item, at) => ({ ...item, str: tidied(item.str, texts[at] ?? '') }));
}

const tidied = (before: string, after: string): string =>
  before === after ? before : after.replace(/ {2,}/g, ' ').replace(/^ +$/, '');

/** Where in an item's text words stand that were painted at its place. */
function stretchOf(
  item: TextItem,
  words: Words,
  text: string,
  wanted: string,
): { start: number; end: number } | undefined {
  const [a = 0, b = 0, , , e = 0, f = 0] = item.transform;
  const length = Math.hypot(a, b) || 1;
  const [dx, dy] = [words.from.x - e, words.from.y - f];
  const along = (dx * a + dy * b) / length;
  const across = Math.abs(dy * a - dx * b) / length;
  const tall = Math.max(item.height, words.height, 1);
  if (across > tall / 2 + 1 || along < -tall || along > item.width + tall) return undefined;
  const { text: line, places } = squeezed(text);
  const expected = item.width === 0 ? 0 : (along / item.width) * line.length;
  const found = nearest(line, [wanted, [...wanted].reverse().join('')], expected);
  const [start, end] = [places[found ?? -1], places[(found ?? -1) + wanted.length - 1]];
  return found === undefined || start === undefined || end === undefined
    ? undefined
    : { start, end: end + 1 };
}

/** The occurrence of one of some words that is nearest to where they should be. */
function nearest(line: string, wanted: readonly string[], expected: number): number | undefined {
  let best: number | undefined;
  for (const words of wanted) {
    for (let at = line.indexOf(words); at !== -1; at = line.indexOf(words, at + 1)) {
      if (best === undefined || Math.abs(at - expected) < Math.abs(best - expected)) best = at;
    }
  }
  return best;
}

/** A text without its blanks and with its ligatures spelled out, and where each of its characters stood. */
function squeezed(text: string): { text: string; places: readonly number[] } {
  let line = '';
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const plain = character.normalize('NFKC').replace(/\s+/gu, '');
    for (const unit of plain.split('')) {
      line += unit;
      places.push(at);
    }
    at += character.length;
  }
  return { text: line, places };
}
