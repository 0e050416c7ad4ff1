import { listOutbox, readKept, type SentMail } from '../../lib/local/endpoints/outbox.ts';

/** Every mail of an outbox with its bytes, in the order in which they left. Fails if one cannot be read. */
export async function readOutbox(directory: string): Promise<readonly SentMail[]> {
  const { mails, damaged } = await listOutbox(directory);
  if (damaged.length > 0) throw new Error(`damaged envelopes: ${damaged.join(', ')}`);
  return Promise.all(mails.map((kept) => readKept(directory, kept)));
}
