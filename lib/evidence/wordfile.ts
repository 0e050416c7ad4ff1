import { Unzip, UnzipInflate } from 'fflate';
import { Parser } from 'htmlparser2';
import { CaregateError } from '../errors.ts';
import type { WrittenText } from './richtext.ts';

/** How much the text of a letter may unpack to, in bytes; a letter has far less, its XML included. */
const mostUnpacked = 40_000_000;

const textParts = /^(?:word\/(?:document|header\d{0,3}|footer\d{0,3}|footnotes|endnotes)\.xml|content\.xml)$/;

/** Thrown for a file whose text unpacks to more than a letter can hold. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/**
 * Reads the text of a word processor's file: DOCX (ECMA-376, part 1, 17) or ODT (OpenDocument 1.3): its headers, its
 * text, its footers and its notes. What is marked as hidden or deleted, is white, or tiny is kept apart.
 *
 * @param bytes attacker-controlled: called where time and memory are bounded. Only the parts with text are unpacked,
 *   and no more than a letter can hold is unpacked, whatever their sizes are said to be
 * @throws CaregateError `INVALID_INPUT` for an archive that holds no text; a `TooLargeError` for one that holds more
 */
export async function readWordFile(bytes: Uint8Array): Promise<WrittenText> {
  const parts = unpackedText(bytes);
  if (parts.size === 0) {
    throw new CaregateError(
      'INVALID_INPUT',
      'the `file` is an archive without the text of a letter; read it as something else',
    );
  }
  const read = [...parts].sort(([a], [b]) => placeOf(a) - placeOf(b)).map(([, xml]) => readXml(xml));
  const joined = (texts: readonly string[]) => texts.filter((text) => text.trim() !== '').join('\n');
  return { text: joined(read.map(({ text }) => text)), hidden: joined(read.map(({ hidden }) => hidden)) };
}

function placeOf(name: string): number {
  return ['header', 'document', 'content', 'foot', 'endnotes'].findIndex((part) => name.includes(part));
}

/** The XML of the parts with text, unpacked in small steps so that a bomb is noticed while it is small. */
function unpackedText(bytes: Uint8Array): Map<string, string> {
  const parts = new Map<string, string>();
  let left = mostUnpacked;
  const unzip = new Unzip((file) => {
    if (!textParts.test(file.name) || parts.has(file.name)) return;
    const decoder = new TextDecoder();
    parts.set(file.name, '');
    file.ondata = (error, chunk) => {
      if (error !== null) throw error;
      left -= chunk.length;
      if (left < 0) throw new TooLargeError();
      parts.set(file.name, (parts.get(file.name) ?? '') + decoder.decode(chunk, { stream: true }));
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  const step = 65_536;
  for (let at = 0; at < bytes.length; at += step) {
    unzip.push(bytes.subarray(at, at + step), at + step >= bytes.length);
  }
  return parts;
}

function readXml(xml: string): WrittenText {
  const reader = new WordReader();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      onclosetag: (name) => reader.close(name),
      ontext: (text) => reader.write(text),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return reader.texts;
}

/** Elements that hold another version of what stands beside them, or the sources of a field and not its text. */
const aside: ReadonlySet<string> = new Set([
  'mc:Fallback',
  'w:instrText',
  'w:delInstrText',
  'office:automatic-styles',
  'office:forms',
  'text:tracked-changes',
  'office:annotation',
]);
const breaks: ReadonlySet<string> = new Set(['w:p', 'w:tr', 'text:p', 'text:h', 'table:table-row']);
const cells: ReadonlySet<string> = new Set(['w:tc', 'table:table-cell']);
const removed: ReadonlySet<string> = new Set(['w:del', 'w:moveFrom', 'text:hidden-text']);
const characters: Readonly<Record<string, string>> = {
  'w:tab': '\t',
  'w:br': '\n',
  'w:cr': '\n',
  'w:noBreakHyphen': '-',
  'text:tab': '\t',
  'text:line-break': '\n',
  'text:s': ' ',
};

class WordReader {
  #text = '';
  #hidden = '';
  #aside = 0;
  #removed = 0;
  #inProperties = 0;
  /** Whether the run that is being read is one that nobody sees, or white. */
  #unseen = false;
  #white = false;
  /** What has a colour behind it: the table's cell, the paragraph, the run. */
  readonly #shaded = new Set<string>();
  #inText = 0;
  #level = '';
  #cellStarts = false;

  get texts(): WrittenText {
    return { text: this.#text, hidden: this.#hidden };
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (aside.has(name)) this.#aside += 1;
    if (removed.has(name)) this.#removed += 1;
    if (name === 'w:r') this.#unseen = this.#white = false;
    if (levels.has(name)) this.#shaded.delete(name);
    if (name === 'w:shd' && isColour(attributes['w:fill'] ?? 'auto')) this.#shaded.add(this.#level);
    if (properties.has(name)) this.#level = properties.get(name) ?? '';
    if (this.#inProperties > 0 && name === 'w:color') this.#white = isPaper(attributes['w:val'] ?? '');
    if (name === 'w:rPr') this.#inProperties += 1;
    if (this.#inProperties > 0 && hides(name, attributes)) this.#unseen = true;
    if (isText(name)) this.#inText += 1;
    if (cells.has(name)) this.#cellStarts = true;
    if (this.#inProperties === 0 && Object.hasOwn(characters, name)) this.#add(characters[name] ?? '');
  }

  close(name: string): void {
    if (aside.has(name)) this.#aside -= 1;
    if (removed.has(name)) this.#removed -= 1;
    if (name === 'w:rPr') this.#inProperties -= 1;
    // The properties of a paragraph are those of its mark, and hide no words.
    if (name === 'w:pPr') this.#unseen = this.#white = false;
    if (isText(name)) this.#inText -= 1;
    // The paragraphs of one cell and the next stand on one line of the table.
    if (cells.has(name)) this.#text = `${this.#text.trimEnd()}\t`;
    if (breaks.has(name)) this.#add('\n');
  }

  write(text: string): void {
    if (this.#inText > 0) this.#add(text);
  }

  #add(text: string): void {
    if (this.#aside > 0) return;
    const white = this.#white && this.#shaded.size === 0;
    if (this.#removed > 0 || this.#unseen || white) this.#hidden += text;
    else this.#text += this.#cellStarts ? text.replace(/^\n/, '') : text;
    this.#cellStarts = false;
  }
}

const isText = (name: string): boolean =>
  name === 'w:t' || name === 'w:delText' || name === 'text:p' || name === 'text:h';

const levels: ReadonlySet<string> = new Set(['w:tc', 'w:p', 'w:r']);
const properties: ReadonlyMap<string, string> = new Map([
  ['w:tcPr', 'w:tc'],
  ['w:pPr', 'w:p'],
  ['w:rPr', 'w:r'],
]);

const isColour = (fill: string): boolean => /^[0-9a-f]{6}$/i.test(fill) && !isPaper(fill);

/** Whether a colour is that of the paper, or next to it. */
const isPaper = (colour: string): boolean => /^(?:f[4-9a-f]){3}$/i.test(colour);

/** Whether a property of a run makes its words such as nobody sees. Sizes are in half-points. */
function hides(name: string, attributes: Readonly<Record<string, string>>): boolean {
  const value = attributes['w:val'] ?? '';
  switch (name) {
    case 'w:vanish':
      return !/^(?:0|false|off)$/i.test(value);
    case 'w:sz':
      return Number(value) <= 3;
    default:
      return false;
  }
}
