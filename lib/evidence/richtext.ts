import { Readable } from 'node:stream';
import rtf from 'rtf-stream-parser';
import { CaregateError } from '../errors.ts';

/** What a word processor's file says. All of it is attacker-controlled. */
export interface WrittenText {
  /** What a person sees. */
  readonly text: string;
  /** What the file holds and a person does not see; empty where there is nothing. */
  readonly hidden: string;
}

interface Token {
  /** 0 and 1 open and close a group, 2 is a control word, 3 is text. */
  readonly type: number;
  readonly word?: string;
  readonly param?: number;
  readonly data?: Buffer;
}

/**
 * Reads Rich Text (RTF 1.9.1): the words of the text, its header and its footer, and apart from them those that are
 * marked as hidden or deleted, are white, or tiny.
 *
 * @param bytes attacker-controlled: called where time and memory are bounded
 * @throws CaregateError `INVALID_INPUT` for a file that does not start as Rich Text does
 */
export async function readRichText(bytes: Uint8Array): Promise<WrittenText> {
  if (!/^\s*\{\\rtf/.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'))) {
    throw new CaregateError(
      'INVALID_INPUT',
      'the `file` does not start as Rich Text does; read it as something else',
    );
  }
  const reader = new RichTextReader();
  const tokens: AsyncIterable<Token> = Readable.from([Buffer.from(bytes)]).pipe(new rtf.Tokenize());
  for await (const token of tokens) reader.take(token);
  return reader.end();
}

interface Group {
  readonly skipped: boolean;
  readonly hidden: boolean;
  readonly white: boolean;
  readonly tiny: boolean;
  /** How many characters stand for one that is given by its number. */
  readonly substitutes: number;
}

const plain = { hidden: false, white: false, tiny: false };
const first: Group = { ...plain, skipped: false, substitutes: 1 };

/** Groups that hold no text of the letter. */
const aside: ReadonlySet<string> = new Set(
  'fonttbl stylesheet info pict object fldinst sn sv xe tc filetbl listtable listoverridetable revtbl rsidtbl themedata datastore nonshppict'.split(
    ' ',
  ),
);
/** Groups that other readers may leave out, and that hold text all the same. */
const kept: ReadonlySet<string> = new Set(['shpinst', 'shptxt', 'footnote']);
const characters: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  cell: '\t',
  tab: '\t',
  '~': ' ',
  _: '-',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  '\\': '\\',
  '{': '{',
  '}': '}',
};

class RichTextReader {
  #group: Group = first;
  readonly #outer: Group[] = [];
  #text = '';
  #hidden = '';
  #bytes: Buffer[] = [];
  #encoding = 'windows-1252';
  #optional = false;
  #substitutes = 0;
  /** The colours of the table, by whether they are white; the first is the usual one. */
  readonly #white: boolean[] = [];
  /** Whether anything has a colour behind it: then white words may be a heading, and are seen. */
  #shading = false;
  #colours: { red: number; green: number; blue: number } | undefined;

  take({ type, word, param, data }: Token): void {
    if (type === 0) this.#open();
    else if (type === 1) this.#close();
    else if (type === 3) this.#string(data ?? Buffer.alloc(0));
    else if (word === "'") this.#byte(data ?? Buffer.alloc(0));
    else this.#control(word ?? '', param);
  }

  end(): WrittenText {
    this.#decode();
    return { text: this.#text, hidden: this.#hidden };
  }

  #open(): void {
    this.#decode();
    if (this.#outer.length < 1000) this.#outer.push(this.#group);
    this.#optional = false;
  }

  #close(): void {
    this.#decode();
    this.#group = this.#outer.pop() ?? first;
    this.#colours = undefined;
  }

  #string(data: Buffer): void {
    if (this.#colours !== undefined) {
      for (const _ of data.toString('latin1').matchAll(/;/g)) this.#endColour();
      return;
    }
    const rest = data.subarray(Math.min(this.#substitutes, data.length));
    this.#substitutes -= data.length - rest.length;
    if (rest.length > 0) this.#bytes.push(rest);
  }

  #byte(data: Buffer): void {
    if (this.#substitutes > 0) this.#substitutes -= 1;
    else this.#bytes.push(data);
  }

  #control(word: string, param: number | undefined): void {
    this.#decode();
    if (word === '*') {
      this.#optional = true;
      return;
    }
    const optional = this.#optional;
    this.#optional = false;
    if (aside.has(word) || (optional && !kept.has(word))) this.#set({ skipped: true });
    else if (word === 'colortbl') this.#colours = { red: -1, green: -1, blue: -1 };
    else if (this.#colours !== undefined) this.#colour(word, param ?? 0);
    else if (word === 'u') this.#number(param ?? 0);
    else if (Object.hasOwn(characters, word)) this.#write(characters[word] ?? '');
    else this.#format(word, param);
  }

  #format(word: string, param: number | undefined): void {
    switch (word) {
      case 'ansicpg':
        this.#encoding = encodingOf(param ?? 1252);
        break;
      case 'mac':
        this.#encoding = 'macintosh';
        break;
      case 'uc':
        this.#set({ substitutes: Math.min(10, Math.max(0, param ?? 1)) });
        break;
      case 'v':
      case 'deleted':
        this.#set({ hidden: param !== 0 });
        break;
      case 'cf':
        this.#set({ white: this.#white[param ?? 0] === true });
        break;
      case 'clcbpat':
      case 'cbpat':
      case 'chcbpat':
        this.#shading ||= this.#white[param ?? 0] === false && param !== 0;
        break;
      case 'fs':
        this.#set({ tiny: (param ?? 24) <= 3 });
        break;
      case 'plain':
        this.#set(plain);
        break;
    }
  }

  #colour(word: string, value: number): void {
    if (this.#colours === undefined) return;
    if (word === 'red' || word === 'green' || word === 'blue') this.#colours[word] = value;
  }

  #endColour(): void {
    const { red = 0, green = 0, blue = 0 } = this.#colours ?? {};
    this.#white.push(Math.min(red, green, blue) >= 0xf4);
    this.#colours = { red: -1, green: -1, blue: -1 };
  }

  /** A character by its number (as a signed 16-bit one), and what stands for it in readers that know none. */
  #number(value: number): void {
    this.#write(String.fromCharCode(value & 0xffff));
    this.#substitutes = this.#group.substitutes;
  }

  #decode(): void {
    this.#substitutes = 0;
    if (this.#bytes.length === 0) return;
    const text = new TextDecoder(this.#encoding).decode(Buffer.concat(this.#bytes));
    this.#bytes = [];
    this.#write(text);
  }

  #write(text: string): void {
    const { skipped, hidden, white, tiny } = this.#group;
    if (skipped) return;
    if (hidden || tiny || (white && !this.#shading)) this.#hidden += text;
    else this.#text += text;
  }

  #set(change: Partial<Group>): void {
    this.#group = { ...this.#group, ...change };
  }
}

const encodings: ReadonlyMap<number, string> = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [874, 'windows-874'],
  [10000, 'macintosh'],
  [65001, 'utf-8'],
]);

function encodingOf(page: number): string {
  return encodings.get(page) ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252');
}
