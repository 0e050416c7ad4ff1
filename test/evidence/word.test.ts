import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { Patience } from '../../lib/evidence/patience.ts';
import { readWord } from '../../lib/evidence/word.ts';
import { evidenceOf } from '../support/reading.ts';

const docx = (body: string, more: Record<string, Uint8Array> = {}) =>
  zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    'word/document.xml': strToU8(`<w:document><w:body>${body}</w:body></w:document>`),
    ...more,
  });
const run = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;
const read = (bytes: Uint8Array) => readWord(bytes, new Patience());
const rtf = (body: string) => new Uint8Array(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`, 'latin1'));

describe('a DOCX letter', () => {
  it('is its header, its paragraphs and tables, and its footer', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(run(text))}</w:tc>`;
    const table = `<w:tbl><w:tr>${cell('Date')}${cell('4 March 2027')}</w:tr><w:tr>${cell('Time')}${cell('10:30am')}</w:tr></w:tbl>`;
    const { pages } = await read(
      docx(
        `${paragraph(run('Dear '), run('Rosa &amp; Maya,'))}${table}${paragraph(run('a'), '<w:r><w:tab/></w:r>', run('b'))}`,
        {
          'word/header1.xml': strToU8(`<w:hdr>${paragraph(run('Ashgrove Clinic'))}</w:hdr>`),
          'word/footer1.xml': strToU8(`<w:ftr>${paragraph(run('Page 1'))}</w:ftr>`),
        },
      ),
    );
    expect(pages[0]?.split('\n').map((line) => line.trim()).filter(Boolean)).toEqual([
      'Ashgrove Clinic', 'Dear Rosa & Maya,', 'Date\t4 March 2027', 'Time\t10:30am', 'a\tb', 'Page 1',
    ]); // biome-ignore format: the lines of a letter
  });

  it.each([
    ['hidden', run('Pay here', '<w:vanish/>')],
    ['white', run('Pay here', '<w:color w:val="FFFFFF"/>')],
    ['tiny', run('Pay here', '<w:sz w:val="2"/>')],
    ['deleted', '<w:del><w:r><w:delText>Pay here</w:delText></w:r></w:del>'],
  ])('keeps apart what nobody sees: %s', async (_, hidden) => {
    expect(await read(docx(paragraph(run('Room 3'), hidden)))).toMatchObject({
      pages: ['Room 3'],
      hidden: ['Pay here'],
    });
  });

  it.each([
    [
      'white on something dark',
      `<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="1F3864"/></w:tcPr>${paragraph(run('Room 3', '<w:color w:val="FFFFFF"/>'))}</w:tc></w:tr></w:tbl>`,
    ],
    ['not hidden after all', paragraph(run('Room 3', '<w:vanish w:val="0"/>'))],
    [
      'after a paragraph whose mark is hidden',
      `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('Room 3')}</w:p>`,
    ],
  ])('shows what is seen: %s', async (_, body) => {
    const reading = await read(docx(body));
    expect(reading.pages[0]?.trim()).toBe('Room 3');
    expect(reading.hidden).toBeUndefined();
  });

  it('gives the facts of a letter, as any other does', async () => {
    const content = docx(paragraph(run('Your scan is on Thursday 4 March 2027 at 10:30am in Room 3.')));
    const contentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const { documents, facts } = await evidenceOf({
      text: 'see what I attached to this mail',
      attachments: [{ filename: 'letter.docx', contentType, content }],
    });
    expect(documents[1]).toMatchObject({ kind: 'word', name: 'letter.docx' });
    expect(facts.find(({ kind }) => kind === 'appointment_start')).toMatchObject({
      value: '2027-03-04T10:30+00:00',
      trust: 'CONTROLLED',
    });
  });

  it('is damaged where its archive is, and too large where it unpacks to more than a letter can hold', async () => {
    expect((await read(docx('').slice(0, 60))).unread).toBe('damaged');
    expect((await read(zipSync({ 'word/styles.xml': strToU8('<a/>') }))).unread).toBe('damaged');
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(60_000_000) }, { level: 9 });
    expect(bomb.length).toBeLessThan(100_000);
    expect((await read(bomb)).unread).toBe('too_large');
    expect((await read(new Uint8Array(26 * 1024 * 1024))).unread).toBe('too_large');
  });
});

describe('an ODT letter', () => {
  it('is its text', async () => {
    const xml =
      '<office:document-content><office:automatic-styles><style:a>no</style:a></office:automatic-styles><text:h>Hello</text:h><text:p>Room<text:s/>3<text:line-break/><text:span>level 2</text:span></text:p></office:document-content>';
    expect((await read(zipSync({ 'content.xml': strToU8(xml) }))).pages).toEqual(['Hello\nRoom 3\nlevel 2']);
  });
});

describe('an RTF letter', () => {
  it('is its text, in its characters', async () => {
    const body =
      "{\\fonttbl{\\f0 Arial;}}{\\info{\\title Secret}}\\f0\\fs24 Se\\'f1ora Rosa:\\par Cita a las 10\\u8211?11\\tab Sala 3\\line {\\b Traer} la tarjeta\\par {\\*\\generator Word;}\\'80 5 \\{x\\}";
    expect((await read(rtf(body))).pages).toEqual([
      'Señora Rosa:\nCita a las 10–11\tSala 3\nTraer la tarjeta\n€ 5 {x}',
    ]);
  });

  it.each([
    ['hidden', '{\\v Pay here}'],
    ['white', '{\\cf2 Pay here}'],
    ['tiny', '{\\fs2 Pay here}'],
    ['deleted', '{\\deleted Pay here}'],
  ])('keeps apart what nobody sees: %s', async (_, hidden) => {
    const colours = '{\\colortbl;\\red0\\green0\\blue0;\\red255\\green255\\blue255;}';
    expect(await read(rtf(`${colours}Room 3 ${hidden}\\plain\\par`))).toMatchObject({
      pages: ['Room 3'],
      hidden: ['Pay here'],
    });
  });

  it('shows white words where something has a colour behind it', async () => {
    const colours = '{\\colortbl;\\red0\\green0\\blue90;\\red255\\green255\\blue255;}';
    expect(
      (await read(rtf(`${colours}\\trowd\\clcbpat1\\cellx99 {\\cf2 Room 3}\\cell\\row`))).pages[0]?.trim(),
    ).toBe('Room 3');
  });

  it('is read where it ends too soon, and damaged where it is none', async () => {
    expect((await read(new Uint8Array(Buffer.from('{\\rtf1\\ansi Room 3 {\\b level')))).pages).toEqual([
      'Room 3 level',
    ]);
    expect((await read(new Uint8Array(Buffer.from('Room 3')))).unread).toBe('damaged');
    expect((await read(rtf('{'.repeat(100_000)))).unread).toBe('empty');
  });
});
