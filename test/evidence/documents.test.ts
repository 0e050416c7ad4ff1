import { PDFDocument } from 'pdf-lib';
import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { readHtml } from '../../lib/evidence/html.ts';
import { readPdf } from '../../lib/evidence/pdf.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { mailOf, pdfOf } from '../support/letters.ts';
import { circle, clock, evidenceOf } from '../support/reading.ts';
import { hasSharedMail, sharedMail } from '../support/sharedmail.ts';

const text = 'Your review is on Thursday, please come.';
const pdf = (name: string, content: Uint8Array, contentType = 'application/pdf') => ({
  filename: name,
  contentType,
  content,
});

describe('the documents of a mail', () => {
  it('are its readable parts, each by the digest of its bytes', async () => {
    const letter = await pdfOf([['Dear Rosa', 'Room 3'], ['Page two']]);
    const raw = await mailOf({
      from: 'a@b.example',
      to: 'c@d.example',
      subject: 'x',
      text,
      attachments: [{ ...pdf('Letter.pdf', letter), inline: true }],
    });
    const { evidence, bytes } = await readEvidence(await parseMessage(raw), { circle, clock });
    expect(evidence.documents).toMatchObject([
      { id: sha256(text), alias: 'd1', kind: 'text', name: 'Message text', pages: [text] },
      {
        id: sha256(letter),
        alias: 'd2',
        kind: 'pdf',
        name: 'Letter.pdf',
        size: letter.length,
        pages: ['Dear Rosa\nRoom 3', 'Page two'],
      },
    ]);
    expect([...bytes.keys()]).toEqual(evidence.documents.map(({ id }) => id));
    for (const [id, content] of bytes) expect(sha256(content)).toBe(id);
  });

  it('count the same bytes once', async () => {
    const letter = await pdfOf([['Dear Rosa']]);
    const { documents } = await evidenceOf({
      text,
      attachments: [pdf('a.pdf', letter), pdf('b.pdf', letter)],
    });
    expect(documents.map(({ name }) => name)).toEqual(['Message text', 'a.pdf']);
  });

  it('have one rendering of a body: the plain text', async () => {
    const { documents } = await evidenceOf({ text, html: `<p>${text}</p>` });
    expect(documents.map(({ kind }) => kind)).toEqual(['text']);
  });

  it.each(['', ' ', 'This mail is in HTML. Please use a program that shows it.'])(
    'have the HTML rendering where the plain text is %j',
    async (plain) => {
      const { documents } = await evidenceOf({ text: plain, html: `<p>${text}</p>` });
      expect(documents.map(({ kind, pages }) => [kind, pages[0]])).toEqual([['html', text]]);
    },
  );

  it('leave out an empty body beside others, and keep it where it is all there is', async () => {
    const letter = await pdfOf([['Dear Rosa']]);
    expect((await evidenceOf({ text: '\n', attachments: [pdf('a.pdf', letter)] })).documents).toHaveLength(1);
    expect((await evidenceOf({ text: '\n' })).documents).toMatchObject([{ unread: 'empty', pages: [''] }]);
  });

  it('name what they cannot read', async () => {
    const octets = Uint8Array.from([1, 2, 3]);
    const { documents } = await evidenceOf({
      text,
      attachments: [
        pdf('a.png', octets, 'image/png'),
        pdf('winmail.dat', octets.slice(1), 'application/ms-tnef'),
        pdf('x.bin', new Uint8Array(), 'application/x'),
      ],
    });
    expect(documents.slice(1).map(({ kind, unread, pages }) => [kind, unread, pages])).toEqual([
      ['image', 'unsupported', ['']],
      ['mail', 'damaged', ['']],
      ['other', 'empty', ['']],
    ]);
  });

  it('are what their bytes or names say where their type says nothing', async () => {
    const vague = 'application/octet-stream';
    const { documents } = await evidenceOf({
      text,
      attachments: [
        pdf('letter', await pdfOf([['Dear Rosa']]), vague),
        { filename: 'notes.txt', contentType: vague, content: 'some notes' },
        { filename: 'event', contentType: vague, content: 'BEGIN:VCALENDAR\nEND:VCALENDAR' },
        { filename: 'page.html', contentType: 'application/xhtml+xml', content: '<p>Hello</p>' },
      ],
    });
    expect(documents.slice(1).map(({ kind }) => kind)).toEqual(['pdf', 'text', 'calendar', 'html']);
  });

  it('are at most sixty', async () => {
    const attachments = Array.from({ length: 70 }, (_, number) => ({
      filename: `${number}.txt`,
      contentType: 'text/plain',
      content: `note ${number}`,
    }));
    expect((await evidenceOf({ text, attachments })).documents).toHaveLength(60);
  });

  it('hold 200 kB of text a page, and say when that was not all', async () => {
    const { documents } = await evidenceOf({ text: 'grüße '.repeat(60_000) });
    expect(documents[0]?.truncated).toBe(true);
    expect(Buffer.byteLength(documents[0]?.pages[0] ?? '')).toBeLessThanOrEqual(200_000);
    expect(Buffer.byteLength(documents[0]?.pages[0] ?? '')).toBeGreaterThan(199_000);
  });

  it('include an embedded mail and what is in it', async () => {
    const inner = await mailOf({
      from: 'Clinic <a@clinic.example>',
      to: 'm@f.example',
      subject: 'Your scan',
      text,
    });
    const { documents } = await evidenceOf({
      text: 'see below, I forward what they sent',
      attachments: [{ filename: 'fwd.eml', contentType: 'message/rfc822', content: inner }],
    });
    expect(documents.map(({ kind, name }) => [kind, name])).toEqual([
      ['text', 'Message text'],
      ['mail', 'fwd.eml'],
      ['text', 'Message text'],
    ]);
    expect(documents[1]?.pages[0]).toContain('Subject: Your scan');
  });

  it('show nothing that people cannot see', async () => {
    const { documents } = await evidenceOf({
      text: 'Thurs\u200bday\u202e 4 Mar\u00adch please come to us\u{e0041}\u0007',
    });
    expect(documents[0]?.pages).toEqual(['Thursday 4 March please come to us']);
  });
});

describe('readHtml', () => {
  const read = (html: string) => readHtml(html).pages[0];

  it('reads headings, tables and lists as people see them', () => {
    expect(
      read(
        '<h1>Letter</h1><table><tr><td>When</td><td>Thu &amp; Fri</td></tr><tr><td>Where</td><td>Room&nbsp;3</td></tr></table><a href="https://x.example">here</a>',
      ),
    ).toBe('Letter\n\nWhen Thu & Fri\nWhere Room 3\n\nhere');
  });

  it.each([
    '<p style="display:none">x</p>',
    '<p style="color:red; DISPLAY : none !important">x</p>',
    '<p style="display:/* a */none">x</p>',
    '<p style="visibility:hidden">x</p>',
    '<p style="font-size:0">x</p>',
    '<p style="font-size: 0.0px">x</p>',
    '<p style="font-size:1px">x</p>',
    '<p style="opacity:0">x</p>',
    '<p style="max-height:0;overflow:hidden">x</p>',
    '<p style="position:absolute;left:-9999px">x</p>',
    '<p style="color:transparent">x</p>',
    '<p hidden>x</p>',
    '<div style="display:none"><p>x<br>x</p></div>',
    '<style>.pre, td.a { display : none }</style><p class="b pre">x</p>',
    '<style>#gone{font-size:0}</style><p id="gone">x</p>',
    '<style>/* } */ body .preheader > span {visibility:hidden}</style><span>x</span>',
    '<title>x</title><script>x</script><noscript>x</noscript><!-- x --><template>x</template>',
  ])('drops what is hidden: %s', (html) => {
    expect(readHtml(html)).toEqual({ pages: [''], unread: 'empty' });
  });

  it.each([
    '<p style="font-size:0.9em">x</p>',
    '<p style="font-size:10px;line-height:0">x</p>',
    '<p style="opacity:.8">x</p>',
    '<p style="margin-left:-10px">x</p>',
    '<style>@media (max-width: 600px) { .a { display:none } }</style><p class="a">x</p>',
    '<style>@import "a.css"; .b{display:none}</style><p class="a">x</p>',
    '<style>.a{display:none</style><p class="a">x</p>',
    '<div style="max-height:0">x</div>',
  ])('keeps what is shown: %s', (html) => {
    expect(read(html)).toBe('x');
  });

  it('refuses what nests deeper than any letter, or is larger, by name', () => {
    expect(readHtml('<b>'.repeat(5000)).unread).toBe('damaged');
    expect(readHtml('x'.repeat(3_000_001)).unread).toBe('too_large');
  });
});

describe('readPdf', () => {
  it('reads the values of form fields, which are not in the text', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage();
    const form = document.getForm();
    const date = form.createTextField('Date of visit');
    date.setText('Thursday 4 March 2027');
    date.addToPage(page);
    const box = form.createCheckBox('Unticked');
    box.addToPage(page);
    expect((await readPdf(await document.save())).pages).toEqual(['Date of visit: Thursday 4 March 2027']);
  });

  it('calls a picture of a letter scanned, and a page of nothing empty', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const document = await PDFDocument.create();
    const page = document.addPage();
    expect((await readPdf(await document.save())).unread).toBe('empty');
    page.drawImage(await document.embedPng(png), { x: 0, y: 0, width: 500, height: 700 });
    expect((await readPdf(await document.save())).unread).toBe('scanned');
  });

  it('calls a broken file damaged, and one over 25 MB too large', async () => {
    expect((await readPdf(new TextEncoder().encode('%PDF-1.7 nonsense'))).unread).toBe('damaged');
    expect((await readPdf(new Uint8Array(26 * 1024 * 1024))).unread).toBe('too_large');
  });

  it('calls a file that needs a password locked', async () => {
    expect((await readPdf(lockedPdf())).unread).toBe('locked');
  });

  it.skipIf(!hasSharedMail).each([
    ['pdfjs__copy_paste_ligatures.pdf', 'abcdeffffiflffifflststghijklmno', undefined],
    ['pdfjs__bug1844583.pdf', 'Texte2: Hello World', undefined],
    ['pdfjs__empty_protected.pdf', '', 'empty'],
    ['pdfjs__scan-bad.pdf', 'pdf.js', undefined],
  ])('reads %s of the collection (skipped where it is absent)', async (file, page, unread) => {
    expect(await readPdf(sharedMail(file))).toMatchObject({
      pages: [page],
      ...(unread === undefined ? {} : { unread }),
    });
  });
});

/** A file whose encryption dictionary fits no password: what a reader of it must ask for. */
function lockedPdf(): Uint8Array {
  const hex = (byte: number) => byte.toString(16).padStart(2, '0').repeat(32);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${hex(1)}> /U <${hex(2)}> >>`,
  ];
  let body = '%PDF-1.6\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const id = `<${hex(3).slice(0, 32)}>`;
  const trailer = `trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [${id} ${id}] >>\nstartxref\n${body.length}\n%%EOF\n`;
  return new TextEncoder().encode(`${body}xref\n0 5\n0000000000 65535 f \n${offsets.join('')}${trailer}`);
}
