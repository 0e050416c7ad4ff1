import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';
import { describe, expect, it } from 'vitest';
import { readPdf } from '../../lib/evidence/pdf.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { pdfOf } from '../support/letters.ts';
import { lockedPdf } from '../support/lockedpdf.ts';
import { pictureOfText } from '../support/pictures.ts';
import { content, onePagePdf } from '../support/rawpdf.ts';
import { evidenceOf } from '../support/reading.ts';
import { hasSharedMail, sharedMail } from '../support/sharedmail.ts';

/** Enough words that nobody takes the page for the picture of one. */
const lines = [
  'This letter has enough words on its page',
  'that nobody takes it for the picture of one,',
  'whatever else there is to see beside them.',
];
const long = lines.join('\n');

/** What one page of hand-written operators says. */
const readPage = async (operators: string, more: { page?: string } = {}) =>
  readPdf(onePagePdf({ content: content(operators), ...more }));

describe('the text of a PDF', () => {
  it('comes with the values of form fields, which are not in it', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage();
    const form = document.getForm();
    const date = form.createTextField('Date of visit');
    date.setText('Thursday 4 March 2027');
    date.addToPage(page);
    const box = form.createCheckBox('Unticked');
    box.addToPage(page);
    const choice = form.createDropdown('Clinic');
    choice.setOptions(['North', 'South']);
    choice.select('South');
    choice.addToPage(page);
    const { pages } = await readPdf(await document.save());
    expect(pages).toEqual(['Date of visit: Thursday 4 March 2027\nClinic: South']);
  });

  it('comes with what somebody typed onto the page', async () => {
    const note =
      '/Annots [<< /Type /Annot /Subtype /FreeText /Rect [10 10 90 40] /Contents (Bring the blue form) /DA (/F1 9 Tf) >>]';
    const { pages } = await readPage('BT /F1 12 Tf 20 300 Td (Dear Rosa) Tj ET', { page: note });
    expect(pages).toEqual(['Dear Rosa\nBring the blue form']);
  });

  it.each([90, 180, 270])('is the same on a page turned by %i degrees', async (turn) => {
    const document = await PDFDocument.load(await pdfOf([['Dear Rosa', 'Room 3']]));
    document.getPage(0).setRotation(degrees(turn));
    expect((await readPdf(await document.save())).pages).toEqual(['Dear Rosa\nRoom 3']);
  });

  it('is read along the line where it runs up the page', async () => {
    const { pages } = await readPage('BT /F1 12 Tf 0 1 -1 0 100 50 Tm (Room 3, level 2) Tj ET');
    expect(pages).toEqual(['Room 3, level 2']);
  });

  it('spells out ligatures, and leaves a half a half', async () => {
    const letters = onePagePdf({
      content: content('BT /X 12 Tf 20 300 Td <010203> Tj ET'),
      page: '',
    });
    expect((await readPdf(letters)).unread).toBe('empty');
    expect((await readPdf(unicodePdf(['\ufb03', '\uff11', '\u00bd']))).pages).toEqual(['ffi1\u00bd']);
  });

  it('of Hebrew is in the order in which it is read', async () => {
    // A printer paints Hebrew from the left, so the last letter comes first.
    expect((await readPdf(unicodePdf([...'\u05e9\u05dc\u05d5\u05dd'].reverse()))).pages).toEqual([
      '\u05e9\u05dc\u05d5\u05dd',
    ]);
  });

  it.skipIf(!hasSharedMail).each([
    ['pdfjs__copy_paste_ligatures.pdf', { pages: ['abcdeffffiflffifflststghijklmno'] }],
    ['pdfjs__bug1844583.pdf', { pages: ['Texte2: Hello World'] }],
    ['pdfjs__empty_protected.pdf', { pages: [''], unread: 'empty' }],
    ['pdfjs__scan-bad.pdf', { pages: ['pdf.js'], transcribed: [1] }],
  ])('of %s of the collection (skipped where it is absent)', async (file, expected) => {
    expect(await readPdf(sharedMail(file))).toMatchObject(expected);
  });
});

describe('words that nobody sees on a page', () => {
  const shown = lines
    .map((line, index) => `BT /F1 12 Tf 20 ${360 - 20 * index} Td (${line}) Tj ET `)
    .join('');

  it.each([
    ['painted with nothing', 'BT 3 Tr /F1 12 Tf 20 200 Td (Pay here) Tj ET'],
    ['white', 'BT 1 1 1 rg /F1 12 Tf 20 200 Td (Pay here) Tj ET'],
    ['tiny', 'BT /F1 0.5 Tf 20 200 Td (Pay here) Tj ET'],
    ['tiny by their matrix', 'BT /F1 12 Tf 0.05 0 0 0.05 20 200 Tm (Pay here) Tj ET'],
    ['beside the page', 'BT /F1 12 Tf -500 200 Td (Pay here) Tj ET'],
    ['above the page', 'BT /F1 12 Tf 20 900 Td (Pay here) Tj ET'],
    ['white, on the same line', 'BT /F1 12 Tf 20 200 Td (Room 3) Tj 1 1 1 rg ( Pay here) Tj ET'],
  ])('are kept apart: %s', async (_, operators) => {
    const { pages, hidden } = await readPage(shown + operators);
    expect(pages[0]).toContain('nobody takes it');
    expect(pages[0]).not.toContain('Pay');
    expect(hidden?.join(' ').trim()).toBe('Pay here');
  });

  it.each([
    [
      'white on something dark',
      '0 0 0.5 rg 0 180 300 60 re f BT 1 1 1 rg /F1 12 Tf 20 200 Td (Pay here) Tj ET',
    ],
    ['grey', 'BT 0.6 g /F1 12 Tf 20 200 Td (Pay here) Tj ET'],
    ['small print', 'BT /F1 4 Tf 20 200 Td (Pay here) Tj ET'],
    ['black after white', 'q BT 1 g ET Q BT /F1 12 Tf 20 200 Td (Pay here) Tj ET'],
  ])('are not those that are seen: %s', async (_, operators) => {
    const { pages, hidden } = await readPage(shown + operators);
    expect(pages[0]).toContain('Pay here');
    expect(hidden).toBeUndefined();
  });

  it('are those that one can see through', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage();
    const font = await document.embedFont(StandardFonts.Helvetica);
    page.drawText('clear', { x: 20, y: 200, size: 12, font, opacity: 0 });
    page.drawText('seen', { x: 20, y: 300, size: 12, font });
    expect(await readPdf(await document.save())).toMatchObject({ pages: ['seen'], hidden: ['clear'] });
  });
});

describe('the files that a PDF carries', () => {
  it('are documents of their own, byte for byte, and say where they were found', async () => {
    const inner = await PDFDocument.load(
      await pdfOf([['Your scan is on Thursday 4 March 2027 at 10:30am.']]),
    );
    await inner.attach(Buffer.from('the innermost notes'), 'notes.txt');
    const carried = await inner.save();
    const outer = await PDFDocument.load(await pdfOf([['See the letter inside.']]));
    await outer.attach(carried, '../letter.pdf');
    const attachments = [{ filename: 'a.pdf', contentType: 'application/pdf', content: await outer.save() }];
    const { documents, facts } = await evidenceOf({ text: 'see what I attached to this mail', attachments });
    expect(documents.map(({ name, kind, within }) => [name, kind, within])).toEqual([
      ['Message text', 'text', undefined],
      ['a.pdf', 'pdf', undefined],
      ['letter.pdf', 'pdf', documents[1]?.id],
      ['notes.txt', 'text', documents[2]?.id],
    ]);
    expect(documents[2]).toMatchObject({ id: sha256(carried), size: carried.length });
    expect(facts.find(({ kind }) => kind === 'appointment_start')?.source.document).toBe(documents[2]?.id);
  });

  it('can be pinned to a place on a page', async () => {
    const pin =
      '/Annots [<< /Type /Annot /Subtype /FileAttachment /Rect [10 10 30 30] /FS << /Type /Filespec /F (pinned.txt) /UF (pinned.txt) /EF << /F 6 0 R >> >> >>]';
    const bytes = onePagePdf({
      content: content('BT /F1 12 Tf 20 300 Td (Dear Rosa) Tj ET'),
      page: pin,
      objects: [{ dictionary: '/Type /EmbeddedFile', stream: 'a pinned note' }],
    });
    const { files } = await readPdf(bytes);
    expect(files?.map(({ name, bytes: held }) => [name, Buffer.from(held).toString()])).toEqual([
      ['pinned.txt', 'a pinned note'],
    ]);
  });

  it('are at most twenty, and the PDF says that there are more', async () => {
    const document = await PDFDocument.load(await pdfOf([['Dear Rosa']]));
    for (let number = 1; number <= 22; number += 1)
      await document.attach(Buffer.from(`note ${number}`), `${number}.txt`);
    const { files, truncated } = await readPdf(await document.save());
    expect([files?.length, truncated]).toEqual([20, true]);
  });
});

describe('a PDF that cannot be read as text', () => {
  it('is scanned where it is a picture of a letter, and empty where there is nothing', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage();
    expect((await readPdf(await document.save())).unread).toBe('empty');
    const image = await document.embedPng(pictureOfText());
    page.drawImage(image, { x: 0, y: 0, width: page.getWidth(), height: page.getHeight() });
    const reading = await readPdf(await document.save());
    expect(reading).toMatchObject({ unread: 'scanned', pages: [''], unseen: [1] });
    expect(reading.pictures).toMatchObject([{ page: 1, format: 'png' }]);
  });

  it('says which of its pages is a picture', async () => {
    const document = await PDFDocument.load(await pdfOf([lines, ['x']]));
    const image = await document.embedPng(pictureOfText());
    document.addPage().drawImage(image, { x: 0, y: 0, width: 595, height: 842 });
    document.addPage().drawImage(image, { x: 0, y: 0, width: 60, height: 60 });
    expect(await readPdf(await document.save())).toMatchObject({ pages: [long, 'x', '', ''], unseen: [3] });
  });

  it('is damaged where it is broken, and too large from 25 MB on', async () => {
    expect((await readPdf(new TextEncoder().encode('%PDF-1.7 nonsense'))).unread).toBe('damaged');
    expect((await readPdf(new Uint8Array(26 * 1024 * 1024))).unread).toBe('too_large');
  });

  it.each(['JPXDecode', 'JBIG2Decode'])(
    'is a picture that nothing has read where a scanner packed it as nobody here unpacks: %s',
    async (filter) => {
      const size = '/Width 1200 /Height 1600 /BitsPerComponent 1 /ColorSpace /DeviceGray';
      const image = {
        dictionary: `/Type /XObject /Subtype /Image ${size} /Filter /${filter}`,
        stream: 'packed',
      };
      const painted = content('q 300 0 0 400 0 0 cm /X0 Do Q');
      const reading = await readPdf(onePagePdf({ content: painted, objects: [image] }));
      expect(reading).toMatchObject({ unread: 'scanned', unseen: [1], pictures: [] });
    },
  );

  it('is locked where it needs a password', async () => {
    expect((await readPdf(lockedPdf())).unread).toBe('locked');
  });
});

/** A page whose words are given letter by letter, by a font that says what each stands for and has no shapes. */
function unicodePdf(letters: readonly string[]): Uint8Array {
  const codes = letters.map((_, index) => (index + 1).toString(16).padStart(2, '0'));
  const map = letters.map(
    (letter, index) => `<${codes[index]}> <${Buffer.from(letter, 'utf16le').swap16().toString('hex')}>`,
  );
  const cmap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange ${map.length} beginbfchar ${map.join(' ')} endbfchar endcmap end end`;
  const font = `<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 1 /LastChar ${letters.length} /Widths [${letters.map(() => 600).join(' ')}] /ToUnicode 7 0 R >>`;
  const bytes = onePagePdf({
    content: content(`BT /F2 12 Tf 100 300 Td <${codes.join('')}> Tj ET`),
    objects: [font, { dictionary: '', stream: cmap }],
    page: '',
  });
  return new Uint8Array(
    Buffer.from(Buffer.from(bytes).toString('latin1').replace('/F1 5 0 R', '/F2 6 0 R'), 'latin1'),
  );
}
