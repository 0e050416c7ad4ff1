import * as z from 'zod';
import { readActions } from '../casefile/actions.ts';
import { senderName } from '../casefile/appointmentname.ts';
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
import { withEarlier } from './earlier.ts';
import { addAnswer, readEvidence } from './evidence.ts';
import { type RecordingParts, recordFacts } from './recording.ts';
import { evidenceSchema } from './schema.ts';
import { CaseTranscriber, type Transcriber } from './transcripts.ts';
import type { Evidence } from './types.ts';

export const gatheringInputSchema = stepSchema.extend({
  round: z.int().positive(),
  /** The evidence so far, when only a person's answers are to be added to it. */
  evidence: pointerSchema.optional(),
  /** How many calls of the model the mail may still make. */
  callsLeft: z.int().optional(),
});
export type GatheringInput = z.infer<typeof gatheringInputSchema>;

export interface GatheringParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly clock: Clock;
}

/** Where a model is at hand, it reads what only a picture shows, and may add facts to those that code reads. */
export type RecordingGatheringParts = GatheringParts & Partial<RecordingParts>;

/** The evidence of a case's mail as it was received, read from the bytes in the case file; pictures by whoever can. */
export async function readCaseEvidence(
  parts: GatheringParts,
  key: Pick<GatheringInput, 'circle' | 'case'>,
  transcriber?: Transcriber,
) {
  const record = await readRecord(parts.store, layout.case(key), caseRecordSchema);
  const mail = await parts.store.read(record.mail.key);
  const message = await parseMessage(mail.bytes);
  return readEvidence(message, { circle: parts.circle, clock: parts.clock, transcriber });
}

/**
 * Writes the documents of a case and the facts that were read from them, each once. What people answered in
 * earlier rounds is added as documents and facts of its own.
 * @returns a pointer to the evidence, and how much there is of it
 */
export async function gather(
  parts: RecordingGatheringParts,
  input: GatheringInput,
): Promise<{ evidence: Pointer; documents: number; facts: number; calls: number }> {
  const key = layout.evidence(input, input.round);
  const written = await findRecord(parts.store, key, evidenceSchema);
  const transcriber = transcriberOf(parts, input);
  const evidence = written ?? (await assemble(parts, input, transcriber));
  const pointer =
    written === undefined ? await write(parts.store, key, evidence) : await pointTo(parts.store, key);
  return {
    evidence: pointer,
    documents: evidence.documents.length,
    facts: evidence.facts.length,
    // A later round goes on from evidence whose calls were counted.
    calls:
      (transcriber?.calls ?? 0) + (input.evidence === undefined ? (evidence.recording?.attempts ?? 0) : 0),
  };
}

function transcriberOf(
  { store, bedrock, evidenceModel }: RecordingGatheringParts,
  input: GatheringInput,
): CaseTranscriber | undefined {
  if (bedrock === undefined || evidenceModel === undefined) return undefined;
  const callsLeft = (input.callsLeft ?? 0) - keptForPlanning;
  return new CaseTranscriber({ store, bedrock, evidenceModel }, input, {
    callsLeft,
    signal: AbortSignal.timeout(picturePatience),
  });
}

/** Calls of the model that pictures may not use up: a letter that nobody can plan for has been read in vain. */
const keptForPlanning = 8;
/** How long the pictures of a mail may take to be read, in milliseconds. */
const picturePatience = 100_000;

async function assemble(
  parts: RecordingGatheringParts,
  input: GatheringInput,
  transcriber: CaseTranscriber | undefined,
): Promise<Evidence> {
  if (input.evidence !== undefined) {
    const before = await readRecord(parts.store, input.evidence, evidenceSchema);
    return withAnswers(parts, input, before);
  }
  const { evidence, bytes } = await readCaseEvidence(parts, input, transcriber);
  for (const document of evidence.documents) {
    const content = bytes.get(document.id);
    if (content !== undefined) await keep(parts.store, input, document.id, content, document.contentType);
  }
  const left =
    input.callsLeft === undefined ? {} : { callsLeft: input.callsLeft - (transcriber?.calls ?? 0) };
  const record = await readRecord(parts.store, layout.case(input), caseRecordSchema);
  const sender = senderName(record.judgement);
  const known = await withEarlier(evidence, { store: parts.store, circle: parts.circle, sender });
  return withAnswers(parts, input, await withModelFacts(parts, { ...input, ...left }, known));
}

async function withModelFacts(
  { bedrock, evidenceModel, circle, clock }: RecordingGatheringParts,
  { callsLeft }: GatheringInput,
  evidence: Evidence,
): Promise<Evidence> {
  if (bedrock === undefined || evidenceModel === undefined) return evidence;
  const signal = AbortSignal.timeout(patience);
  return (await recordFacts({ bedrock, evidenceModel }, evidence, { circle, clock, callsLeft, signal }))
    .evidence;
}

/** How long the model may take in all, in milliseconds: the step has time to go on without it. */
const patience = 90_000;

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
