import MailComposer from 'nodemailer/lib/mail-composer';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { digestOf } from '../../lib/provenance/digest.ts';

/** An invented letter. Whatever is not given is left out, except Date and Message-ID, which are always the same. */
export interface Letter {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly Attachment[];
  readonly date?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Uint8Array | string;
  readonly inline?: boolean;
}

const defaultDate = '2027-02-01T09:00:00Z';

/** The bytes of a mail. The same letter gives the same bytes, so that digests can be compared. */
export async function mailOf(letter: Letter): Promise<Uint8Array> {
  const attachments = (letter.attachments ?? []).map(({ filename, contentType, content, inline }) => ({
    filename,
    contentType,
    content: Buffer.from(content),
    contentDisposition: inline === true ? ('inline' as const) : ('attachment' as const),
  }));
  const digest = digestOf({
    ...letter,
    attachments: attachments.map(({ content, ...rest }) => ({
      ...rest,
      content: content.toString('base64'),
    })),
  });
  const composer = new MailComposer({
    from: letter.from,
    to: letter.to,
    subject: letter.subject,
    ...(letter.text === undefined ? {} : { text: letter.text }),
    ...(letter.html === undefined ? {} : { html: letter.html }),
    attachments,
    date: new Date(letter.date ?? defaultDate),
    messageId: `<${digest.slice(0, 24)}@letters.example>`,
    headers: { ...letter.headers },
    baseBoundary: digest.slice(0, 24),
    newline: 'windows',
  });
  return new Uint8Array(await composer.compile().build());
}

/** A PDF with one page for each list of lines. Only what WinAnsi can write. */
export async function pdfOf(pages: readonly (readonly string[])[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const fixed = new Date(defaultDate);
  document.setCreationDate(fixed);
  document.setModificationDate(fixed);
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const lines of pages) {
    const page = document.addPage([595, 842]);
    lines.forEach((line, index) => {
      page.drawText(line, { x: 60, y: 780 - index * 18, size: 11, font });
    });
  }
  return document.save();
}
