import * as z from 'zod';
import { readActions } from '../casefile/actions.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord, type Pointer, readRecord, writeRecord } from '../casefile/record.ts';
import { answerRecordSchema, caseRecordSchema, pointerSchema } from '../casefile/schemas.ts';
import { stepSchema } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import { parseMessage } from '../mail/message.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Sha256 } from '../provenance/digest.ts';
import { addAnswer, readEvidence } from './evidence.ts';
import { evidenceSchema } from './schema.ts';
import type { Evidence } from './types.ts';

export const gatheringInputSchema = stepSchema.extend({
  round: z.int().positive(),
  /** The evidence so far, when only a person's answers are to be added to it. */
  evidence: pointerSchema.optional(),
});
export type GatheringInput = z.infer<typeof gatheringInputSchema>;

export interface GatheringParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly clock: Clock;
}

/** The evidence of a case's mail as it was received, read from the bytes in the case file. Nothing is written. */
export async function readCaseEvidence(parts: GatheringParts, key: Pick<GatheringInput, 'circle' | 'case'>) {
  const record = await readRecord(parts.store, layout.case(key), caseRecordSchema);
  const mail = await parts.store.read(record.mail.key);
  const message = await parseMessage(mail.bytes);
  return readEvidence(message, { circle: parts.circle, clock: parts.clock });
}

/**
 * Writes the documents of a case and the facts that were read from them, each once. What people answered in
 * earlier rounds is added as documents and facts of its own.
 * @returns a pointer to the evidence, and how much there is of it
 */
export async function gather(
  parts: GatheringParts,
  input: GatheringInput,
): Promise<{ evidence: Pointer; documents: number; facts: number }> {
  const key = layout.evidence(input, input.round);
  const written = await findRecord(parts.store, key, evidenceSchema);
  const evidence = written ?? (await assemble(parts, input));
  const pointer =
    written === undefined ? await write(parts.store, key, evidence) : await pointTo(parts.store, key);
  return { evidence: pointer, documents: evidence.documents.length, facts: evidence.facts.length };
}

async function assemble(parts: GatheringParts, input: GatheringInput): Promise<Evidence> {
  if (input.evidence !== undefined) {
    const before = await readRecord(parts.store, input.evidence, evidenceSchema);
    return withAnswers(parts, input, before);
  }
  const { evidence, bytes } = await readCaseEvidence(parts, input);
  for (const document of evidence.documents) {
    const content = bytes.get(document.id);
    if (content !== undefined) await keep(parts.store, input, document.id, content, document.contentType);
  }
  return withAnswers(parts, input, evidence);
}

async function withAnswers(
  parts: GatheringParts,
  input: GatheringInput,
  before: Evidence,
): Promise<Evidence> {
  let evidence = before;
  for (const { action } of await readActions(parts.store, input)) {
    const answer = await findRecord(parts.store, layout.answer(input, action), answerRecordSchema);
    if (answer === undefined) continue;
    const added = addAnswer(
      evidence,
      { text: answer.text, person: answer.person, question: answer.question },
      { circle: parts.circle, clock: parts.clock },
    );
    evidence = added.evidence;
    for (const [id, content] of added.bytes) await keep(parts.store, input, id, content, 'text/plain');
  }
  return evidence;
}

async function keep(
  store: ObjectStore,
  key: Pick<GatheringInput, 'circle' | 'case'>,
  id: Sha256,
  bytes: Uint8Array,
  contentType: string,
): Promise<void> {
  await store.create(layout.document(key, id), bytes, { contentType });
}

/** A retry reads relative dates a little later, so that its evidence may differ: what was written first stands. */
async function write(store: ObjectStore, key: string, evidence: Evidence): Promise<Pointer> {
  try {
    return await writeRecord(store, key, evidence);
  } catch (error) {
    if (!isCaregateError(error, 'CREATE_CONFLICT')) throw error;
    return pointTo(store, key);
  }
}

async function pointTo(store: ObjectStore, key: string): Promise<Pointer> {
  return { key, sha256: (await store.read(key)).sha256 };
}
