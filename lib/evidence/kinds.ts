import type { Part } from '../mail/types.ts';
import { pictureFormat } from './pictureformat.ts';
import type { DocumentKind } from './types.ts';

const pdfMagic = Buffer.from('%PDF-');
const calendarMagic = /^\s*BEGIN:VCALENDAR\b/i;
const richText = /^\s*\{\\rtf/;
const zipped = /^PK\p{Cc}{2}/u;
const wordTypes =
  /^application\/(?:rtf|vnd\.openxmlformats-officedocument\.wordprocessingml\.document|vnd\.oasis\.opendocument\.text)$/;

/** What bytes are to be read as: their type decides, and their first bytes where the type says nothing. */
export function kindOf({ role, contentType, fileName, bytes }: KindedBytes): DocumentKind {
  if (role === 'embedded') return 'mail';
  const ending = /\.([a-z0-9]{1,5})$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
  const head = Buffer.from(bytes.subarray(0, 1024));
  const start = head.toString('latin1');
  if (contentType === 'application/pdf' || head.includes(pdfMagic)) return 'pdf';
  if (contentType === 'text/calendar' || contentType === 'application/ics') return 'calendar';
  if (calendarMagic.test(start)) return 'calendar';
  if (richText.test(start) || (zipped.test(start) && isWord(contentType, ending))) return 'word';
  if (contentType === 'text/html' || ending === 'html' || ending === 'htm') return 'html';
  if (/^text\/(?:plain|csv|markdown|x-markdown)$/.test(contentType)) return 'text';
  if (contentType.startsWith('image/')) return 'image';
  return contentType === 'application/octet-stream' ? vagueKind(start, ending) : 'other';
}

/** What the kind of a part, or of a file that another one carries, depends on. */
export type KindedBytes = Pick<Part, 'role' | 'contentType' | 'fileName' | 'bytes'>;

const isWord = (contentType: string, ending: string): boolean =>
  wordTypes.test(contentType) || /^(?:docx|docm|dotx|odt|ott)$/.test(ending);

function vagueKind(start: string, ending: string): DocumentKind {
  if (pictureFormat(start) !== undefined || /^(?:heic|heif|tiff?|bmp)$/.test(ending)) return 'image';
  return /^(?:txt|csv|md)$/.test(ending) ? 'text' : 'other';
}

const names: Readonly<Record<DocumentKind, string>> = {
  text: 'Message text',
  html: 'Message text',
  pdf: 'Document.pdf',
  word: 'Document',
  calendar: 'Invitation.ics',
  image: 'Image',
  mail: 'Forwarded mail',
  other: 'Attachment',
};

/** A name that is safe to show: the file name, which is sanitised already, or what the document is. */
export function nameOf({ role, fileName }: Pick<Part, 'role' | 'fileName'>, kind: DocumentKind): string {
  if (fileName !== undefined) return fileName;
  return role === 'text' || role === 'html' || kind !== 'text' ? names[kind] : 'Text attachment';
}
