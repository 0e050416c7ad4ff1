import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import type { CaseIndex } from '../casefile/caseindex.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord, type Pointer, readRecord, writeRecord } from '../casefile/record.ts';
import {
  caseRecordSchema,
  pointerSchema,
  type TriageRecord,
  triageRecordSchema,
} from '../casefile/schemas.ts';
import { stepSchema } from '../casefile/step.ts';
import { type GatheringParts, readCaseEvidence } from '../evidence/gathering.ts';
import { evidenceSchema } from '../evidence/schema.ts';
import type { ModelSettings } from '../model/models.ts';
import { admittedStanding } from './standing.ts';
import { triage } from './triage.ts';

export const classificationInputSchema = stepSchema.extend({
  round: z.int().positive(),
  /** What was read of the mail. A run that began before this was handed over reads it again. */
  evidence: pointerSchema.optional(),
});
export type ClassificationInput = z.infer<typeof classificationInputSchema>;

export interface ClassificationParts extends GatheringParts {
  readonly index: CaseIndex;
  readonly bedrock: BedrockRuntimeClient;
  readonly triageModel: ModelSettings;
}

/**
 * Says what a mail is about. The category is a code of a closed list: it can make a decision stricter, never wider.
 * @throws CaregateError one of the `MODEL_…` codes after two attempts
 */
export async function classify(
  parts: ClassificationParts,
  input: ClassificationInput,
): Promise<{ triage: Pointer; category: TriageRecord['category']; calls: number }> {
  const key = layout.triage(input, input.round);
  const before = await findRecord(parts.store, key, triageRecordSchema);
  const record = before ?? (await ask(parts, input));
  const pointer = await writeRecord(parts.store, key, record);
  await parts.index.note(input, { category: record.category });
  return { triage: pointer, category: record.category, calls: record.attempts };
}

async function ask(parts: ClassificationParts, input: ClassificationInput): Promise<TriageRecord> {
  const record = await readRecord(parts.store, layout.case(input), caseRecordSchema);
  const evidence =
    input.evidence === undefined
      ? (await readCaseEvidence(parts, input)).evidence
      : await readRecord(parts.store, input.evidence, evidenceSchema);
  const { category, model, attempts } = await triage({
    client: parts.bedrock,
    model: parts.triageModel,
    evidence,
    circle: parts.circle,
    standing: admittedStanding(record),
    clock: parts.clock,
  });
  return { category, model, attempts };
}
