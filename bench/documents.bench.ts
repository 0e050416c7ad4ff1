import { PDFDocument, StandardFonts } from 'pdf-lib';
import { Patience } from '../lib/evidence/patience.ts';
import { readPdf } from '../lib/evidence/pdf.ts';
import { PictureReader } from '../lib/local/reader/pictures.ts';
import { photograph } from '../test/support/carefacts.ts';

export const title = 'Documents: pages a second, and what they take';

const pages = 40;
const rounds = 5;

export async function measure(): Promise<readonly string[]> {
  const letter = await letterOf(pages);
  await readPdf(letter, new Patience());
  const read = await median(async () => {
    const { unread } = await readPdf(letter, new Patience());
    if (unread !== undefined) throw new Error(`the letter was not read: ${unread}`);
  });
  const picture = await photograph();
  const scan = await scanOf(picture);
  const laid = await median(async () => {
    await readPdf(scan, new Patience());
  });
  const reader = new PictureReader();
  const start = await timed(() => reader.read([picture]));
  const recognised = await median(() => reader.read([picture]));
  await reader.close();
  const memory = Math.round(process.memoryUsage.rss() / 1e6);
  return [
    `PDF, text:               ${rate(pages / read)} pages/s (${pages} pages of 40 lines, in a thread of its own)`,
    `PDF, scanned:            ${rate(1 / laid)} pages/s found and laid out as a picture`,
    `pictures, offline:       ${rate(1 / recognised)} pages/s read in four languages; the first took ${start.toFixed(1)} s`,
    `memory of the process:   ${memory} MB after all of it`,
  ];
}

const rate = (value: number): string => value.toFixed(value < 10 ? 2 : 0).padStart(6);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Seconds. */
async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work));
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

async function letterOf(count: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let page = 1; page <= count; page += 1) {
    const sheet = document.addPage([595, 842]);
    for (let line = 0; line < 40; line += 1) {
      const text = `Page ${page}, line ${line}: please come to room 3 on Thursday 4 March 2027 at 10:30am.`;
      sheet.drawText(text, { x: 60, y: 780 - line * 17, size: 10, font });
    }
  }
  return document.save();
}

async function scanOf(photograph: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const image = await document.embedJpg(photograph);
  document.addPage([595, 842]).drawImage(image, { x: 0, y: 0, width: 595, height: 842 });
  return document.save();
}
