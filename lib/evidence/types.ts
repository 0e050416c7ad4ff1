import type { ModelFailureCode } from '../model/failure.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { Fact } from '../provenance/trust.ts';

export const documentKinds = ['text', 'html', 'pdf', 'word', 'calendar', 'image', 'mail', 'other'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/**
 * Why a document has no text, where it has none; `damaged` may come with the text of a file that could not be taken
 * apart. A document without text is still filed, never called empty.
 */
export const unreadReasons = [
  'locked',
  'scanned',
  'unsupported',
  'damaged',
  'too_large',
  'too_small',
  'empty',
] as const;
export type UnreadReason = (typeof unreadReasons)[number];

/** One readable part of a message. Text and name are attacker-controlled. */
export interface CaseDocument {
  /** SHA-256 of the bytes. */
  readonly id: Sha256;
  /** `d1`, `d2`, …: what the model calls it. */
  readonly alias: string;
  readonly kind: DocumentKind;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  /** The text page by page, as a person sees it; one page for what has none. */
  readonly pages: readonly string[];
  readonly unread?: UnreadReason | undefined;
  /** The document in whose bytes this one was found: a file that a PDF carries. */
  readonly within?: Sha256 | undefined;
  /** The numbers of the pages whose text was read from a picture: words that can be misread. */
  readonly transcribed?: readonly number[] | undefined;
  /** The numbers of the pages that are pictures which nothing has read: a person has to look at them. */
  readonly unseen?: readonly number[] | undefined;
  /** Text that the bytes hold and a person does not see. Kept for whoever looks into it; no model and no extractor reads it. */
  readonly hidden?: readonly string[] | undefined;
  /** Whether there is more text than fits; the bytes are kept whole. */
  readonly truncated?: true | undefined;
}

/** Why a model's fact was dropped. */
export const dropReasons = {
  DOCUMENT_UNKNOWN: 'it names a document or page that the mail does not have',
  QUOTE_NOT_FOUND: 'its quote does not stand on that page, letter by letter',
  VALUE_NOT_IN_QUOTE: 'its value is not what its quote says',
  GROUP_UNKNOWN: 'it names an appointment that no fact is of',
  KNOWN_ALREADY: 'code had read it already',
  TOO_MANY: 'the mail has as many facts as are kept',
} as const;
export type DropReason = keyof typeof dropReasons;

/** What a model was asked to add to the facts, and what came of it. Codes and counts only. */
export interface Recording {
  /** The model's id. */
  readonly model: string;
  readonly attempts: number;
  readonly added: number;
  /** How many of its facts were dropped, by the reason. */
  readonly dropped: { readonly [reason in DropReason]?: number };
  /** Why it added nothing, where it gave no valid answer. */
  readonly failure?: ModelFailureCode | undefined;
}

/** What the case knows: documents and the facts read from them. */
export interface Evidence {
  readonly documents: readonly CaseDocument[];
  readonly facts: readonly Fact[];
  /** Nothing where no model was asked. */
  readonly recording?: Recording | undefined;
}
