import type { Message } from '../mail/types.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Sha256 } from '../provenance/digest.ts';
import { documentsOf } from './documents.ts';
import { factsOf } from './facts.ts';
import { withTranscripts } from './pictures.ts';
import type { Transcriber } from './transcripts.ts';
import type { Evidence } from './types.ts';

export { type Answer, addAnswer } from './answer.ts';

/**
 * What a mail says: its documents, and the facts in them, each with its source. All of it is attacker-controlled; a
 * fact is more than that only where a named validator raised it.
 *
 * Without somebody who reads pictures, they are left as what they are.
 *
 * @returns the evidence, and the bytes of every document by its id
 */
export async function readEvidence(
  message: Message,
  options: { circle: Circle; clock: Clock; transcriber?: Transcriber | undefined },
): Promise<{ evidence: Evidence; bytes: ReadonlyMap<Sha256, Uint8Array> }> {
  const set = await documentsOf(message);
  const { transcriber } = options;
  const documents = transcriber === undefined ? set.documents : await withTranscripts(set, transcriber);
  const facts = factsOf(documents, message.subject, { circle: options.circle, now: options.clock.now() });
  return { evidence: { documents, facts }, bytes: set.bytes };
}
