import { PDFDocument, type PDFFont, type PDFPage, type RGB, rgb, StandardFonts } from 'pdf-lib';
import type { Day } from './days.ts';

/** One block of a letter, from top to bottom. */
export type Block =
  | { readonly heading: string }
  | { readonly paragraph: string }
  | { readonly rows: readonly (readonly [label: string, value: string])[] }
  | { readonly small: string };

export interface Letter {
  readonly title: string;
  readonly house: { readonly name: string; readonly lines: readonly string[]; readonly colour: RGB };
  /** The address window; empty for a receipt. */
  readonly addressee: readonly string[];
  readonly references: readonly string[];
  readonly body: readonly Block[];
  readonly footer: string;
  /** The day on which the file claims to have been made. */
  readonly made: Day;
}

const page = { width: 595.28, height: 841.89, margin: 62 }; // A4 in points
const ink = rgb(0.12, 0.12, 0.14);
const grey = rgb(0.4, 0.4, 0.44);

/** The letter as a one-page PDF. The same letter has the same bytes: nothing in it comes from the machine. */
export async function renderLetter(letter: Letter): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  pdf.setTitle(letter.title);
  pdf.setAuthor(letter.house.name);
  pdf.setProducer('Letters 4.2');
  pdf.setCreator(letter.house.name);
  const made = new Date(`${letter.made.toString()}T09:00:00Z`);
  pdf.setCreationDate(made);
  pdf.setModificationDate(made);
  const pen = new Pen(
    pdf.addPage([page.width, page.height]),
    await pdf.embedFont(StandardFonts.Helvetica),
    await pdf.embedFont(StandardFonts.HelveticaBold),
  );
  drawHead(pen, letter);
  for (const block of letter.body) drawBlock(pen, block);
  pen.footer(letter.footer);
  return pdf.save();
}

function drawHead(pen: Pen, { house, addressee, references }: Letter): void {
  pen.band(house.colour);
  pen.right(house.name, { size: 17, font: pen.bold, colour: house.colour });
  for (const line of house.lines) pen.right(line, { size: 8.5, colour: grey });
  pen.gap(addressee.length > 0 ? 18 : 8);
  for (const line of addressee) pen.line(line);
  pen.gap(14);
  for (const line of references) pen.line(line, { size: 9.5, colour: grey });
  pen.gap(14);
}

function drawBlock(pen: Pen, block: Block): void {
  if ('heading' in block) {
    pen.paragraph(block.heading, { font: pen.bold, size: 12 });
    pen.gap(5);
  } else if ('paragraph' in block) {
    pen.paragraph(block.paragraph);
    pen.gap(8);
  } else if ('small' in block) {
    pen.paragraph(block.small, { size: 8, colour: grey });
    pen.gap(8);
  } else {
    for (const [label, value] of block.rows) pen.row(label, value);
    pen.gap(8);
  }
}

interface Hand {
  readonly size?: number;
  readonly font?: PDFFont;
  readonly colour?: RGB;
}

/** Writes down a page, and remembers how far it got. */
class Pen {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  readonly #page: PDFPage;
  #y = page.height - page.margin;

  constructor(sheet: PDFPage, regular: PDFFont, bold: PDFFont) {
    this.#page = sheet;
    this.regular = regular;
    this.bold = bold;
  }

  gap(points: number): void {
    this.#y -= points;
  }

  band(colour: RGB): void {
    this.#page.drawRectangle({ x: 0, y: page.height - 14, width: page.width, height: 14, color: colour });
  }

  line(text: string, hand: Hand = {}, x = page.margin): void {
    const { size = 10.5, font = this.regular, colour = ink } = hand;
    this.#page.drawText(text, { x, y: this.#y, size, font, color: colour });
    this.#y -= size * 1.38;
  }

  right(text: string, hand: Hand): void {
    const { size = 10.5, font = this.regular } = hand;
    this.line(text, hand, page.width - page.margin - font.widthOfTextAtSize(text, size));
  }

  paragraph(text: string, hand: Hand = {}, x = page.margin): void {
    const { size = 10.5, font = this.regular } = hand;
    for (const line of wrap(text, page.width - page.margin - x, (part) =>
      font.widthOfTextAtSize(part, size),
    )) {
      this.line(line, hand, x);
    }
  }

  row(label: string, value: string): void {
    const top = this.#y;
    this.line(label, { font: this.bold }, page.margin + 12);
    this.#y = top;
    this.paragraph(value, {}, page.margin + 110);
    this.gap(3);
  }

  footer(text: string): void {
    this.#y = 40;
    this.paragraph(text, { size: 7.5, colour: grey });
  }
}

/** Breaks a text into lines no wider than `width`; a word that is wider stands alone. */
function wrap(text: string, width: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
