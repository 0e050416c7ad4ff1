import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { type ActionRecord, readActions } from '../casefile/actions.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord, type Pointer, readRecord, writeRecord } from '../casefile/record.ts';
import {
  caseRecordSchema,
  type ProposalRecord,
  pointerSchema,
  proposalRecordSchema,
  triageRecordSchema,
} from '../casefile/schemas.ts';
import { actionStepSchema } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { evidenceSchema } from '../evidence/schema.ts';
import type { ModelSettings } from '../model/models.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { PastAction } from './materials.ts';
import { plan } from './plan.ts';
import { admittedStanding } from './standing.ts';

export const planningInputSchema = actionStepSchema.extend({
  round: z.int().positive(),
  triage: pointerSchema,
  evidence: pointerSchema,
  /** The reason code of a denial just before: all that a planner is told of it. */
  denied: z
    .string()
    .regex(/^[A-Z][A-Z_]{0,63}$/)
    .nullable(),
  callsLeft: z.int(),
});
export type PlanningInput = z.infer<typeof planningInputSchema>;

export interface PlanningParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly clock: Clock;
  readonly bedrock: BedrockRuntimeClient;
  readonly planModel: ModelSettings;
}

/**
 * Takes one proposal from the model and records it as it came. A proposal that is there already is the answer: a
 * repeated step never asks the model twice for one action.
 * @throws CaregateError one of the `MODEL_…` codes after two attempts
 */
export async function propose(
  parts: PlanningParts,
  input: PlanningInput,
): Promise<{ proposal: Pointer; tool: ProposalRecord['tool']; calls: number }> {
  const key = layout.proposal(input, input.action);
  const before = await findRecord(parts.store, key, proposalRecordSchema);
  const record = before ?? (await ask(parts, input));
  const proposal = await writeRecord(parts.store, key, record);
  return { proposal, tool: record.tool, calls: record.attempts };
}

async function ask(parts: PlanningParts, input: PlanningInput): Promise<ProposalRecord> {
  const { store } = parts;
  const [record, triage, evidence, actions] = await Promise.all([
    readRecord(store, layout.case(input), caseRecordSchema),
    readRecord(store, input.triage, triageRecordSchema),
    readRecord(store, input.evidence, evidenceSchema),
    readActions(store, input),
  ]);
  const { proposal, model, attempts } = await plan({
    client: parts.bedrock,
    model: parts.planModel,
    evidence,
    circle: parts.circle,
    category: triage.category,
    standing: admittedStanding(record),
    actions: actions.filter((action) => isStanding(action, input.round)).map(plannedAction),
    denied: input.denied ?? undefined,
    clock: parts.clock,
    callsLeft: input.callsLeft,
  });
  const { tool, input: written } = proposal;
  return { action: input.action, round: input.round, tool, input: written, model, attempts };
}

/** Actions of this round, and those of earlier ones that came to an end; what was cut off may be proposed again. */
function isStanding(action: ActionRecord, round: number): boolean {
  return action.decision !== undefined && (action.outcome !== undefined || action.proposal?.round === round);
}

function plannedAction({ action, proposal, decision }: ActionRecord): PastAction {
  return {
    action,
    tool: proposal?.tool ?? 'no_further_action',
    input: proposal?.input ?? {},
    outcome: decision?.decision.outcome ?? 'DENY',
    reason: decision?.decision.reason ?? 'CALL_UNRESOLVED',
  };
}
