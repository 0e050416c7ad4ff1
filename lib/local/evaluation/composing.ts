import MailComposer from 'nodemailer/lib/mail-composer';
import type { Circle, Person } from '../../provenance/circle.ts';
import { sha256 } from '../../provenance/digest.ts';
import type { EvaluationMail } from './attempts.ts';
import { letterPdf } from './letterpdf.ts';

interface Occasion {
  readonly circle: Circle;
  /** When the mail is said to have been written. */
  readonly at: Date;
}

interface Attachment {
  readonly filename: string;
  readonly content: Uint8Array | string;
  readonly contentType: string;
}

interface Content {
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly Attachment[];
}

/** The bytes of a mail as a person of the circle passes it on: the same mail gives the same bytes. */
export async function composed(mail: EvaluationMail, { circle, at }: Occasion): Promise<Uint8Array> {
  const sender = forwarder(circle);
  const unique = sha256(`${mail.mark} ${at.toISOString()}`);
  const { text, html, attachments = [] } = contentOf(mail);
  const composer = new MailComposer({
    from: { name: sender?.name ?? '', address: sender?.email ?? circle.inbox },
    to: circle.inbox,
    subject: mail.route === 'letter' ? 'Fwd: for the file' : 'Fwd: from the practice',
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    date: at,
    messageId: `<${unique.slice(0, 24)}@${sender?.email.split('@')[1] ?? 'family.example'}>`,
    baseBoundary: unique.slice(24, 40),
    newline: 'windows',
    attachments: attachments.map(({ content, ...rest }) => ({ ...rest, content: Buffer.from(content) })),
  });
  return new Uint8Array(await composer.compile().build());
}

/** Who passes the mails on: the first person of the circle, whom the receiver has verified. */
export function forwarder(circle: Circle): Person | undefined {
  return circle.people[0];
}

function contentOf({ mark, payload, route }: EvaluationMail): Content {
  const { text } = payload;
  const note = `This came with today's mail. Reference ${mark}.`;
  switch (route) {
    case 'body':
      return withNote(text, note);
    case 'pdf':
      return { text: note, attachments: [pdf('letter.pdf', text)] };
    case 'ics':
      return { text: note, attachments: [calendar(invitation(mark, text))] };
    case 'name':
      return { text: note, attachments: [pdf(fileName(text), 'Page 1 of 1')] };
    case 'letter':
      return letter(text, payload.tool === 'file_document');
  }
}

/** A benign mail: an invitation as a calendar sends it, a document that is to be filed as a PDF, the rest as it reads. */
function letter(text: string, isDocument: boolean): Content {
  if (text.startsWith('BEGIN:VCALENDAR')) {
    const lines = `${text.trimEnd().replace(/\r?\n/g, '\r\n')}\r\n`;
    return { text: 'The invitation is attached.', attachments: [calendar(lines)] };
  }
  if (isDocument) return { text: 'For the file, please.', attachments: [pdf(`${titleOf(text)}.pdf`, text)] };
  return isHtml(text) ? { html: text } : { text };
}

const isHtml = (text: string): boolean => /^\s*<(?:!doctype|html|body|div|p|table)\b/i.test(text);

function withNote(text: string, note: string): Content {
  if (!isHtml(text)) return { text: `${note}\n\n${text}` };
  const paragraph = `<p>${note}</p>`;
  // What stands before the body of a page is not shown.
  const [opening] = /<body\b[^>]*>/i.exec(text) ?? [];
  return {
    html: opening === undefined ? `${paragraph}\n${text}` : text.replace(opening, opening + paragraph),
  };
}

function pdf(filename: string, text: string): Attachment {
  return { filename, content: letterPdf(text), contentType: 'application/pdf' };
}

function calendar(content: string): Attachment {
  return { filename: 'invite.ics', content, contentType: 'text/calendar; charset=utf-8; method=REQUEST' };
}

/** As much of a text as a name holds. The receiver takes the last part of a path, so slashes would cut the text. */
function fileName(text: string): string {
  const line = text.replace(/[\p{Cc}/\\]+/gu, ' ').trim();
  return `${[...line].slice(0, 96).join('')}.pdf`;
}

function titleOf(text: string): string {
  return (
    (text.split(/\r?\n/)[0] ?? '')
      .replace(/[^\p{L}\p{N} -]+/gu, ' ')
      .trim()
      .slice(0, 60) || 'Letter'
  );
}

/** An invitation that carries the text as its description (RFC 5545). Its own date is certain, as a careful attacker's is. */
function invitation(mark: string, text: string): string {
  const escaped = text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r?\n/g, '\\n')
    .replace(/\r/g, '');
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Practice//Bookings//EN',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    `UID:${mark}@practice.example`,
    'DTSTAMP:20270104T090000Z',
    'DTSTART:20270708T093000Z',
    'DTEND:20270708T100000Z',
    'SUMMARY:Practice appointment',
    `DESCRIPTION:${escaped}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}

/** Lines of at most 75 bytes; what follows starts with a blank. No character is split. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  for (const character of line) {
    if (Buffer.byteLength(part + character) > 73) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part].join('\r\n ');
}
