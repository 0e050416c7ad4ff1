import {
  answersOf,
  attachedDocuments,
  type Desk,
  type DeskDocument,
  type Intent,
  proposed,
  textOf,
} from '../desk.ts';
import { occurrences, oneLine } from '../words.ts';

// Without an attachment the mail itself is the document, but only for what a household keeps.
const keptAsText: ReadonlySet<string | null> = new Set(['receipt', 'bill', 'subscription', 'referral']);

/** One document after the other into the folder whose words fit it best. */
export const filing: Intent = (desk) => {
  const filed = new Set(proposed(desk, 'file_document').map(({ input }) => input.document));
  const document = documentsToFile(desk).find(({ alias }) => !filed.has(alias));
  if (document === undefined) return undefined;
  const folder = folderFor(desk, document);
  if (folder === undefined) return undefined;
  return {
    tool: 'file_document',
    input: {
      document: document.alias,
      title: { text: titleOf(document) },
      folder: { entry: folder },
      ...dateOf(desk, document),
    },
  };
};

function documentsToFile(desk: Desk): DeskDocument[] {
  const attached = attachedDocuments(desk);
  if (attached.length > 0 || !(keptAsText.has(desk.category) || wasToldToFile(desk))) return attached;
  const texts = desk.documents.filter(({ kind }) => kind === 'text' || kind === 'html' || kind === 'mail');
  const [longest] = texts.sort((a, b) => textOf(b).length - textOf(a).length);
  return longest === undefined ? [] : [longest];
}

const fileWords =
  /\b(?:file|keep|store|save)\b|ablegen|aufheben|archivier|guardar|archivar|classer|conserver/;

function wasToldToFile(desk: Desk): boolean {
  return answersOf(desk).some(
    ({ question, text }) => question === 'what_to_do' && occurrences(text, fileWords) > 0,
  );
}

interface Subject {
  readonly name: string;
  readonly categories: readonly string[];
  /** Finds it in a letter as well as in the name of a folder. */
  readonly pattern: RegExp;
}

const subjects: readonly Subject[] = [
  {
    name: 'receipts',
    categories: ['receipt', 'bill', 'subscription'],
    pattern:
      /receipt|warrant|guarantee|invoice|purchase|\bbills?\b|quittung|rechnung|beleg|garantie|recibo|factura|reçu|facture/,
  },
  {
    name: 'referrals',
    categories: ['referral'],
    pattern: /referral|\breferred\b|überweisung|derivaci|volante|adressage/,
  },
  {
    name: 'appointments',
    categories: ['appointment'],
    pattern: /appointment|\btermin|\bcitas?\b|rendez-vous/,
  },
  {
    name: 'records',
    categories: ['records_request', 'form'],
    pattern:
      /\brecords?\b|consent|\bforms?\b|discharge|report|unterlagen|befund|formular|informe|historial|dossier|compte rendu/,
  },
  {
    name: 'letters',
    categories: ['information', 'other'],
    pattern: /\bletters?\b|correspond|\bmisc|general|brief|post|carta|courrier|lettre/,
  },
];

/** The folder with the subject of the document: its name weighs most, then what the mail is about, then its words. */
function folderFor(desk: Desk, document: DeskDocument): string | undefined {
  const text = textOf(document).slice(0, 6000);
  const ranked = subjects
    .map(({ categories, pattern }) => ({
      pattern,
      score:
        4 * Math.min(1, occurrences(document.name, pattern)) +
        (categories.includes(desk.category ?? '') ? 3 : 0) +
        occurrences(text, pattern),
    }))
    .sort((a, b) => b.score - a.score);
  const last = subjects.at(-1);
  const order = [...ranked.filter(({ score }) => score > 0), ...(last === undefined ? [] : [last])];
  for (const { pattern } of order) {
    const folder = desk.circle.folders.find(({ id, name }) => occurrences(`${id} ${name}`, pattern) > 0);
    if (folder !== undefined) return folder.id;
  }
  return desk.circle.folders.at(-1)?.id;
}

const meaningless =
  /^(?:document|scan|scanned|attachment|file|image|img|doc|untitled|letter|brief|\d|[_\W])*$/i;

/** What a document is called: its name if that says something, else its first line. */
function titleOf(document: DeskDocument): string {
  const name = document.name.replace(/\.[a-z0-9]{1,5}$/i, '').replace(/[_-]+/g, ' ');
  const line = textOf(document)
    .split('\n')
    .find((candidate) => /\p{L}{3}/u.test(candidate));
  const best = meaningless.test(name) ? (line ?? name) : name;
  return oneLine(best, 120) || 'Document';
}

const dateLabel = /\bdated?\b|\bdatum\b|\bfecha\b|\bsigned\b|\bissued\b/;
const birth = /\bborn\b|\bbirth|\bdob\b|geboren|geburt|nacid|nacimiento|\bnée?\b|naissance/;

/** The date of a document: one that it names as its date, or the only one that it gives. A birthday is neither. */
function dateOf(desk: Desk, document: DeskDocument): { date?: { fact: string } } {
  const dates = desk.facts.filter(
    ({ kind, document: alias, value, quote }) =>
      kind === 'date' &&
      alias === document.alias &&
      value.slice(0, 10) <= desk.today &&
      occurrences(quote, birth) === 0,
  );
  const found = dates.find(({ quote }) => occurrences(quote, dateLabel) > 0);
  const [only] = dates;
  const date = found ?? (dates.length === 1 ? only : undefined);
  return date === undefined ? {} : { date: { fact: date.id } };
}
