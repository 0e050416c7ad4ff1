import type { ActionRecord } from '../casefile/actions.ts';
import { readRecord } from '../casefile/record.ts';
import type { ObjectReader } from '../casefile/store.ts';
import { evidenceSchema } from './schema.ts';
import type { CaseDocument, Evidence, UnreadReason } from './types.ts';

/** What is said of a document, or of pages of it, that nothing here could read. */
export interface UnreadDocument {
  /** Attacker-controlled. */
  readonly name: string;
  readonly why: string;
}

const reasons: Readonly<Record<UnreadReason, string>> = {
  locked: 'it needs a password',
  scanned: 'it is a picture, and its words could not be made out',
  unsupported: 'it is of a kind that cannot be read here',
  damaged: 'it is damaged',
  too_large: 'it is too large, or takes too long to be read',
  too_small: 'it is a small picture, and was taken for decoration',
  empty: 'there is no text in it',
};

/** The reasons for which nobody has to look: a logo, and a page of nothing. */
const unremarkable: ReadonlySet<UnreadReason> = new Set(['too_small']);

/** Every document of a mail that a person has to look at, and why. All of them are kept, byte for byte. */
export function unreadDocuments(documents: readonly CaseDocument[]): UnreadDocument[] {
  return documents.flatMap((document) => {
    const why = whyUnread(document);
    return why === undefined ? [] : [{ name: document.name, why }];
  });
}

function whyUnread({ unread, unseen, truncated }: CaseDocument): string | undefined {
  if (unread !== undefined) return unremarkable.has(unread) ? undefined : reasons[unread];
  if (unseen !== undefined) return `${pagesOf(unseen)} could not be made out`;
  return truncated === true ? 'there is more in it than was read' : undefined;
}

function pagesOf(numbers: readonly number[]): string {
  return numbers.length === 1
    ? `page ${numbers[0]} is a picture whose words`
    : `pages ${numbers.join(', ')} are pictures whose words`;
}

/** The same for a case. */
export async function unreadInCase(
  store: ObjectReader,
  actions: readonly ActionRecord[],
): Promise<UnreadDocument[]> {
  return unreadDocuments((await decidedOn(store, actions))?.documents ?? []);
}

/** The evidence that the last action of a case was decided on. */
export async function decidedOn(
  store: ObjectReader,
  actions: readonly ActionRecord[],
): Promise<Evidence | undefined> {
  const pointer = actions.findLast(({ decision }) => decision !== undefined)?.decision?.evidence;
  return pointer === undefined ? undefined : readRecord(store, pointer, evidenceSchema);
}
