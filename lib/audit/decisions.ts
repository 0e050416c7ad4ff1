import { unresolved } from '../approval/gating.ts';
import { layout } from '../casefile/layout.ts';
import { type DecisionRecord, proposalRecordSchema } from '../casefile/schemas.ts';
import { isCaregateError } from '../errors.ts';
import { evidenceSchema } from '../evidence/schema.ts';
import type { Decision } from '../policy/decision.ts';
import { gate } from '../policy/gate.ts';
import { type CompiledPolicy, recompilePolicy } from '../policy/rules.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import { resolve } from '../proposal/resolve.ts';
import { parseProposal } from '../proposal/schema.ts';
import { digestOf, type Sha256 } from '../provenance/digest.ts';
import { jsonOf } from './dossier.ts';
import type { Examination } from './examination.ts';

/** Every policy that a decision names is there, and is the one that its name says. */
export async function checkPolicies(examination: Examination): Promise<void> {
  for (const { action, decision } of examination.dossier.actions) {
    const digest = decision?.decision.policyDigest;
    if (digest === undefined || examination.policies.has(digest)) continue;
    examination.policies.set(digest, await recordedPolicy(examination, digest, action));
  }
}

async function recordedPolicy(
  examination: Examination,
  digest: Sha256,
  action: number,
): Promise<CompiledPolicy | undefined> {
  const key = layout.policy(digest);
  const object = await examination.object(key);
  try {
    const policy = object === undefined ? undefined : recompilePolicy(jsonOf(object));
    if (policy === undefined) examination.found('POLICY_MISSING', key, { action });
    else if (policy.digest !== digest) {
      examination.found('POLICY_MISMATCH', key, { action, expected: digest, found: policy.digest });
      return undefined;
    }
    return policy;
  } catch (error) {
    if (!isCaregateError(error, 'INVALID_INPUT') && !isCaregateError(error, 'CONFIGURATION_INVALID'))
      throw error;
    examination.found('POLICY_MISSING', key, { action });
    return undefined;
  }
}

/**
 * Builds every call again from the model's proposal, the evidence and the circle of the recorded policy. Trusts are
 * derived anew; the recorded call is for readers, and only has to be the same.
 */
export async function checkCalls(examination: Examination): Promise<void> {
  const { key, actions } = examination.dossier;
  for (const { action, decision } of actions) {
    if (decision === undefined) continue;
    const policy = examination.policies.get(decision.decision.policyDigest);
    if (policy === undefined) continue;
    const rebuilt = await rebuild(examination, action, decision, policy);
    if (rebuilt === undefined) continue;
    const digest =
      rebuilt === 'unresolved' ? unresolved(policy, decision.proposal).callDigest : callDigest(rebuilt);
    if (digest !== decision.decision.callDigest) {
      const about = { action, expected: decision.decision.callDigest, found: digest };
      examination.found('CALL_MISMATCH', layout.decision(key, action), about);
    }
    if (rebuilt === 'unresolved') continue;
    examination.calls.set(action, rebuilt);
    const recorded = examination.dossier.objects.get(layout.call(key, action));
    if (recorded !== undefined && recorded.sha256 !== digestOf(rebuilt)) {
      const about = { action, expected: digestOf(rebuilt), found: recorded.sha256 };
      examination.found('CALL_MISMATCH', recorded.key, about);
    }
  }
}

/** @returns nothing where what it would be built from is not what was decided on, which has been found already */
async function rebuild(
  examination: Examination,
  action: number,
  decision: DecisionRecord,
  { circle }: CompiledPolicy,
): Promise<Call | 'unresolved' | undefined> {
  const { key } = examination.dossier;
  if (decision.proposal.key !== layout.proposal(key, action)) {
    examination.found('POINTER_BROKEN', decision.proposal.key, { action });
    return undefined;
  }
  const objects = [
    await examination.follow(decision.proposal, action),
    await examination.follow(decision.evidence, action),
  ];
  const [proposal, evidence] = objects.map((object) => (object === undefined ? undefined : jsonOf(object)));
  const written = proposalRecordSchema.safeParse(proposal);
  const read = evidenceSchema.safeParse(evidence);
  if (!written.success || !read.success) return undefined;
  try {
    const { tool, input } = written.data;
    return resolve(parseProposal(tool, input), { evidence: read.data, circle, case: key.case, action });
  } catch (error) {
    if (isCaregateError(error)) return 'unresolved';
    throw error;
  }
}

/** The recorded policy, asked again, decides the same on every call, by the same rules. */
export function checkDecisions(examination: Examination): void {
  const { key, actions } = examination.dossier;
  for (const { action, decision } of actions) {
    if (decision === undefined) continue;
    const again = decideAgain(examination, action, decision);
    if (
      again !== undefined &&
      digestOf(again) === digestOf(decision.decision) &&
      isOfCase(examination, decision)
    ) {
      continue;
    }
    if (again === undefined && examination.policies.get(decision.decision.policyDigest) === undefined)
      continue;
    examination.found('DECISION_MISMATCH', layout.decision(key, action), { action });
  }
}

function decideAgain(
  examination: Examination,
  action: number,
  decision: DecisionRecord,
): Decision | undefined {
  const policy = examination.policies.get(decision.decision.policyDigest);
  if (policy === undefined) return undefined;
  const call = examination.calls.get(action);
  if (call === undefined) return unresolved(policy, decision.proposal);
  const { category, standing, at } = decision;
  return gate(policy, { call, category, standing, now: Date.parse(at) });
}

/** What the gate was told of the mail is what the case file says of it. */
function isOfCase({ dossier }: Examination, { category, standing }: DecisionRecord): boolean {
  const triaged = dossier.triages.some((triage) => triage.category === category);
  return triaged && dossier.record?.judgement.standing === standing;
}
