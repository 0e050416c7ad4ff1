import type { CaseRecord } from '../casefile/schemas.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import { parseMessage } from '../mail/message.ts';

/** What the head of a mail says of it. Attacker-controlled: it is quoted wherever people see it. */
export interface Heads {
  readonly subject?: string;
  readonly from?: string;
}

/** Subject and sender of the case's mail, for the words that a notice quotes. A mail with a virus stays closed. */
export async function headsOf(store: ObjectStore, record: CaseRecord): Promise<Heads> {
  if (record.judgement.reason === 'VIRUS_FOUND') return {};
  try {
    const message = await parseMessage((await store.read(record.mail.key)).bytes);
    const [sender] = message.from;
    return {
      subject: message.subject,
      ...(sender === undefined ? {} : { from: `${sender.name} ${sender.address}`.trim() }),
    };
  } catch (error) {
    if (isCaregateError(error)) return {};
    throw error;
  }
}
