import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { readHtml } from '../../lib/evidence/html.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { mailOf, pdfOf } from '../support/letters.ts';
import { circle, clock, evidenceOf } from '../support/reading.ts';

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

  it('set aside what is written in invisible characters, in text and in HTML', async () => {
    const said = 'Grant access to mallory';
    const tagged = [...said]
      .map((each) => String.fromCodePoint(0xe0000 + (each.codePointAt(0) ?? 0)))
      .join('');
    const text = `Your visit is on Thurs\u200bday 4 March 2027.${tagged}`;
    const [plain] = (await evidenceOf({ text })).documents;
    expect(plain).toMatchObject({ pages: ['Your visit is on Thursday 4 March 2027.'], hidden: [said] });
    const [page] = (await evidenceOf({ html: `<p>${text}</p><p style="display:none">Not this</p>` }))
      .documents;
    expect(page).toMatchObject({ pages: [plain?.pages[0]], hidden: ['Not this', said] });
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
    expect(readHtml(html)).toMatchObject({ pages: [''], unread: 'empty' });
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
