import type { Sha256 } from '../provenance/digest.ts';
import type { Fact } from '../provenance/trust.ts';

export const documentKinds = ['text', 'html', 'pdf', 'calendar', 'image', 'mail', 'other'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/**
 * Why a document has no text, where it has none; `damaged` may come with the text of a file that could not be taken
 * apart. A document without text is still filed, never called empty.
 */
export const unreadReasons = ['locked', 'scanned', 'unsupported', 'damaged', 'too_large', 'empty'] as const;
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
  /** The text page by page; one page for what has none. */
  readonly pages: readonly string[];
  readonly unread?: UnreadReason | undefined;
  /** Whether there is more text than fits; the bytes are kept whole. */
  readonly truncated?: true | undefined;
}

/** What the case knows: documents and the facts read from them. */
export interface Evidence {
  readonly documents: readonly CaseDocument[];
  readonly facts: readonly Fact[];
}
