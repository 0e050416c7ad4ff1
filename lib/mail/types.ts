import type { Sha256 } from '../provenance/digest.ts';
import type { MessageId } from '../provenance/identifiers.ts';

/** An address as a mail writes it. Both fields are attacker-controlled. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** One leaf of a mail's MIME tree, its bytes decoded and otherwise untouched. All of it is attacker-controlled. */
export interface Part {
  /** SHA-256 of the bytes. */
  readonly digest: Sha256;
  /** Lower-case media type without parameters. */
  readonly contentType: string;
  /** A base name that is safe to show and to put into a key, or nothing. */
  readonly fileName?: string | undefined;
  readonly role: 'text' | 'html' | 'attachment' | 'embedded';
  /** `1`, `2`, `2.1`: where the part stands; an embedded mail's parts are below it. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The text, decoded by its charset, for every textual type; for `embedded`, its From, Date and Subject. */
  readonly text?: string | undefined;
  /** Parts with the same value are renderings of one body (`multipart/alternative`). */
  readonly alternative?: string | undefined;
}

/** One inbound mail. Everything but `id` and the digests is attacker-controlled. */
export interface Message {
  readonly id: MessageId;
  readonly from: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly subject: string;
  /** ISO instant of the Date header, where it can be read; never a guess. */
  readonly date?: string | undefined;
  readonly messageIdHeader?: string | undefined;
  /** The Message-IDs, without brackets, of the mails that this one says it answers. */
  readonly answers?: readonly string[] | undefined;
  /** What the headers say about automatic mail. */
  readonly automatic?: 'bounce' | 'reply' | 'list' | undefined;
  readonly parts: readonly Part[];
}
