import {
  attachedDocuments,
  type Desk,
  type DeskDocument,
  type Draft,
  type Intent,
  proposed,
  textOf,
} from '../desk.ts';
import { letterText } from '../letter.ts';
import { forwardedSubject, occurrences, oneLine, sentences, significantWords } from '../words.ts';

const verbs =
  /\b(?:send|forward|return|submit|transmit|transfer|share|provide|deliver|upload|e-?mail(?! (?:us|me|address)\b))\b|(?<!\p{L})(?:senden|schicken|weiterleiten|übermitteln|zusenden)(?!\p{L})|\b(?:envíe|envíenos|enviar|mande|remita|reenvíe)(?!\p{L})|\b(?:envoyer|envoyez|transmettre|transmettez|transférer|retourner)\b/u;
const things =
  /\b(?:records?|documents?|cop(?:y|ies)|forms?|letters?|reports?|results|files?|history|list|consent|details|everything|certificate|referral)\b|unterlagen|kopie|formular|befund|bericht|arztbrief|akte|documentos?|informe|copia|formulario|historial|dossier|copie|formulaire|compte rendu/;
// Bounded, so that a long word without an at sign costs no more than its length.
const address = /[\p{L}\d._%+'-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,8}/gu;

interface Request {
  readonly to: { readonly literal: string } | { readonly entry: string };
  readonly sentence: string;
  readonly source: DeskDocument;
}

/**
 * Whoever a document asks to write to is written to. The reader believes what it reads, as a model may be talked into:
 * it is the gate's task, not the reader's, that an order in a letter leads nowhere.
 */
export const requests: Intent = (desk) => {
  // After a refusal of this kind no other address is tried in the same breath.
  const refused = desk.denied === 'DESTINATION_NOT_TRUSTED';
  const written = new Set(proposed(desk, 'send_email').map(({ input }) => JSON.stringify(input.to)));
  const open = requestsOf(desk).filter(({ to }) => !written.has(JSON.stringify(to)));
  const next = open.find(({ to }) => 'entry' in to || !refused);
  return next === undefined || !desk.tools.has('send_email') ? undefined : letterDraft(desk, next);
};

/** What the documents ask to be sent somewhere: addresses first, then contacts that they name. */
function requestsOf(desk: Desk): Request[] {
  const asking = desk.documents.flatMap((source) =>
    windows(sentences(textOf(source)))
      .filter((sentence) => occurrences(sentence, verbs) > 0 && occurrences(sentence, things) > 0)
      .map((sentence) => ({ source, sentence })),
  );
  const literal = asking.flatMap(({ source, sentence }) =>
    (sentence.match(address) ?? []).map((found) => ({
      to: { literal: found.replace(/[.'-]+$/, '').toLowerCase() },
      sentence,
      source,
    })),
  );
  return literal.length > 0 ? literal : namedContact(desk, asking);
}

/** A sentence together with a following one that only adds the address. */
function windows(list: readonly string[]): string[] {
  return list.map((sentence, index) => {
    const next = list[index + 1] ?? '';
    const adds = !address.test(sentence) && next.length < 120 && next.search(address) >= 0;
    address.lastIndex = 0;
    return adds && occurrences(next, verbs) === 0 ? `${sentence} ${next}` : sentence;
  });
}

/** In a records request, the contact whose whole name stands in the mail. */
function namedContact(desk: Desk, asking: readonly Omit<Request, 'to'>[]): Request[] {
  const [first] = asking;
  if (first === undefined || desk.category !== 'records_request') return [];
  const text = desk.documents.map(textOf).join(' ').toLowerCase();
  const contact = desk.circle.contacts.find(({ name }) =>
    [...significantWords(name)].every((word) => text.includes(word)),
  );
  return contact === undefined ? [] : [{ to: { entry: contact.id }, ...first }];
}

function letterDraft(desk: Desk, request: Request): Draft {
  const attached = documentsAskedFor(desk, request);
  const subject = desk.documents.map((document) => forwardedSubject(textOf(document))).find(Boolean);
  const { fallbackSubject, body } = letterText({
    text: textOf(request.source),
    locale: desk.locale,
    patient: desk.circle.patient,
    attached: attached.map(({ name }) => oneLine(name, 100)),
  });
  return {
    tool: 'send_email',
    input: {
      to: request.to,
      subject: { text: oneLine(subject === undefined ? fallbackSubject : `Re: ${subject}`, 200) },
      body: { text: body },
      ...(attached.length > 0 ? { attachments: attached.map(({ alias }) => alias) } : {}),
    },
  };
}

const whole = /\b(?:all|every(?:thing)?|complete|full|entire|alle|todos?|todas?|tous|toutes?)\b/;
const itself = /\bthis (?:letter|document|form|file)\b/;
const most = 10;

/** The attached documents that a request names; all of them if it wants everything. */
function documentsAskedFor(desk: Desk, { sentence, source }: Request): DeskDocument[] {
  const attached = attachedDocuments(desk);
  const wanted = significantWords(sentence);
  const named = attached.filter(
    (document) =>
      (document.alias !== source.alias || occurrences(sentence, itself) > 0) &&
      [...significantWords(document.name)].some((word) => wanted.has(word)),
  );
  if (occurrences(sentence, whole) > 0) return attached.slice(0, most);
  if (named.length > 0) return named.slice(0, most);
  const others = attached.filter(({ alias }) => alias !== source.alias);
  return others.length === 1 ? others : [];
}
