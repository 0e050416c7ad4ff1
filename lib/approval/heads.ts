import type { CaseRecord } from '../casefile/schemas.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import { forwardingCodeIn } from '../mail/forwardingcode.ts';
import { parseMessage } from '../mail/message.ts';
import type { Message } from '../mail/types.ts';

/** What the head of a mail says of it. Attacker-controlled: it is quoted wherever people see it. */
export interface Heads {
  readonly subject?: string;
  readonly from?: string;
  /** The code by which a mailbox is allowed to forward here, where the mail was judged to hold one. */
  readonly forwardingCode?: string;
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
      ...forwardingCodeOf(message, record),
    };
  } catch (error) {
    if (isCaregateError(error)) return {};
    throw error;
  }
}

function forwardingCodeOf(message: Message, { judgement }: CaseRecord): Pick<Heads, 'forwardingCode'> {
  const found = judgement.reason === 'FORWARDING_CONFIRMATION' ? forwardingCodeIn(message) : undefined;
  return found === undefined ? {} : { forwardingCode: found.code };
}
