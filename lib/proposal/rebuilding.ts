import { layout } from '../casefile/layout.ts';
import { readRecord } from '../casefile/record.ts';
import {
  type CaseRecord,
  caseRecordSchema,
  type DecisionRecord,
  decisionRecordSchema,
  proposalRecordSchema,
} from '../casefile/schemas.ts';
import type { ActionStepKey } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { evidenceSchema } from '../evidence/schema.ts';
import type { Evidence } from '../evidence/types.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Call } from './call.ts';
import { resolve } from './resolve.ts';
import { parseProposal } from './schema.ts';

export interface RebuiltCall {
  readonly call: Call;
  readonly evidence: Evidence;
  readonly decision: DecisionRecord;
  readonly record: CaseRecord;
}

/**
 * Builds the call of an action again from the model's proposal, the facts and the circle of today. No label that
 * was recorded is believed: every trust is derived anew, and the pointers are checked by digest.
 * @throws CaregateError `CALL_UNRESOLVED` if the circle no longer has what the proposal named, `DIGEST_MISMATCH`
 */
export async function rebuildCall(
  store: ObjectStore,
  circle: Circle,
  key: Pick<ActionStepKey, 'circle' | 'case' | 'action'>,
): Promise<RebuiltCall> {
  const decision = await readRecord(store, layout.decision(key, key.action), decisionRecordSchema);
  const [record, proposal, evidence] = await Promise.all([
    readRecord(store, layout.case(key), caseRecordSchema),
    readRecord(store, decision.proposal, proposalRecordSchema),
    readRecord(store, decision.evidence, evidenceSchema),
  ]);
  const call = resolve(parseProposal(proposal.tool, proposal.input), {
    evidence,
    circle,
    case: key.case,
    action: key.action,
  });
  return { call, evidence, decision, record };
}
