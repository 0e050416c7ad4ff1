import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord, type Pointer, readRecord, writeRecord } from '../casefile/record.ts';
import {
  caseRecordSchema,
  type DecisionRecord,
  decisionRecordSchema,
  pointerSchema,
  proposalRecordSchema,
  triageRecordSchema,
} from '../casefile/schemas.ts';
import { actionStepSchema } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import { evidenceSchema } from '../evidence/schema.ts';
import type { Decision } from '../policy/decision.ts';
import { gate } from '../policy/gate.ts';
import type { CompiledPolicy } from '../policy/rules.ts';
import type { Call } from '../proposal/call.ts';
import { resolve } from '../proposal/resolve.ts';
import { parseProposal } from '../proposal/schema.ts';
import { admittedStanding } from '../proposal/standing.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { digestOf } from '../provenance/digest.ts';

export const gatingInputSchema = actionStepSchema.extend({
  triage: pointerSchema,
  evidence: pointerSchema,
  proposal: pointerSchema,
});
export type GatingInput = z.infer<typeof gatingInputSchema>;

export interface GatingParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly clock: Clock;
  readonly policy: CompiledPolicy;
}

/** What the execution history shows of a decision: codes, ids, classes and trusts, never a value. */
export interface GatedAction {
  readonly action: number;
  readonly tool: string;
  readonly outcome: Decision['outcome'];
  readonly reason: Decision['reason'];
  readonly rules: readonly string[];
  readonly arguments: { readonly [name: string]: string };
  readonly callDigest: string;
  readonly decision: Pointer;
}

/**
 * Resolves one proposal, gates the call, and records call and decision with the policy that made it. A decision
 * that is there already stands, so that a repeated step cannot decide twice.
 */
export async function gateProposal(parts: GatingParts, input: GatingInput): Promise<GatedAction> {
  const { store, policy } = parts;
  const proposal = await readRecord(store, input.proposal, proposalRecordSchema);
  const key = layout.decision(input, input.action);
  const before = await findRecord(store, key, decisionRecordSchema);
  await writeRecord(store, layout.policy(policy.digest), policy.sources);
  const { record, call } =
    before === undefined
      ? await decideOn(parts, input)
      : { record: before, call: await callOf(store, input) };
  if (before === undefined && call !== undefined) {
    await writeRecord(store, layout.call(input, input.action), call);
  }
  const decision = await writeRecord(store, key, record);
  const classes = Object.entries(call?.arguments ?? {}).map(([name, { class: kind, trust }]) => [
    name,
    `${kind} ${trust}`,
  ]);
  return {
    action: input.action,
    tool: proposal.tool,
    outcome: record.decision.outcome,
    reason: record.decision.reason,
    rules: record.decision.matched,
    arguments: Object.fromEntries(classes),
    callDigest: record.decision.callDigest,
    decision,
  };
}

const classedSchema = z.looseObject({
  arguments: z.record(z.string(), z.looseObject({ class: z.string(), trust: z.string() })),
});

/** The call that was recorded with a decision, as far as the execution history shows it. */
function callOf(store: ObjectStore, input: GatingInput) {
  return findRecord(store, layout.call(input, input.action), classedSchema);
}

async function decideOn(
  parts: GatingParts,
  input: GatingInput,
): Promise<{ record: DecisionRecord; call: Call | undefined }> {
  const { store, circle, clock } = parts;
  const [caseRecord, triage, evidence, proposal] = await Promise.all([
    readRecord(store, layout.case(input), caseRecordSchema),
    readRecord(store, input.triage, triageRecordSchema),
    readRecord(store, input.evidence, evidenceSchema),
    readRecord(store, input.proposal, proposalRecordSchema),
  ]);
  const standing = admittedStanding(caseRecord);
  const { category } = triage;
  const call = resolved(() =>
    resolve(parseProposal(proposal.tool, proposal.input), {
      evidence,
      circle,
      case: input.case,
      action: input.action,
    }),
  );
  const decision =
    call === undefined
      ? unresolved(parts.policy, input.proposal)
      : gate(parts.policy, { call, category, standing, now: clock.now() });
  const record = {
    decision: mutable(decision),
    category,
    standing,
    evidence: input.evidence,
    proposal: input.proposal,
    at: isoTime(clock),
  };
  return { record, call };
}

/** The call, or nothing if the proposal names something that is not there: that is a denial, not a failure. */
function resolved(build: () => Call): Call | undefined {
  try {
    return build();
  } catch (error) {
    if (isCaregateError(error, 'CALL_UNRESOLVED')) return undefined;
    throw error;
  }
}

/** The denial of a proposal that no call could be made of. Its digest names the proposal, since there is no call. */
export function unresolved(policy: CompiledPolicy, proposal: Pointer): Decision {
  return {
    outcome: 'DENY',
    reason: 'CALL_UNRESOLVED',
    matched: [],
    deciding: [],
    warnings: [],
    alert: false,
    policyDigest: policy.digest,
    callDigest: digestOf({ unresolved: proposal.sha256 }),
  };
}

function mutable(decision: Decision): DecisionRecord['decision'] {
  const { matched, deciding, warnings, consent, ...rest } = decision;
  return {
    ...rest,
    matched: [...matched],
    deciding: [...deciding],
    warnings: [...warnings],
    ...(consent === undefined ? {} : { consent: { people: consent.people, roles: [...consent.roles] } }),
  };
}
