import type { SESClient } from '@aws-sdk/client-ses';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import type { ActionStepKey } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import { clear } from '../policy/clearance.ts';
import { type Consent, type ConsentVerifier, consentSchema } from '../policy/consent.ts';
import type { Decision, ReasonCode } from '../policy/decision.ts';
import { gate } from '../policy/gate.ts';
import type { CompiledPolicy } from '../policy/rules.ts';
import { type RebuiltCall, rebuildCall } from '../proposal/rebuilding.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import { digestOf, sha256 } from '../provenance/digest.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { EffectContext } from './context.ts';
import { execute } from './execute.ts';
import type { EffectReceipt } from './receipt.ts';
import { reconcile } from './reconcile.ts';
import { verifyEffect } from './verify.ts';

export interface ExecutionParts {
  readonly store: ObjectStore;
  readonly ses: SESClient;
  readonly circle: Circle;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly policy: CompiledPolicy;
  readonly verifyConsent: ConsentVerifier;
  readonly configurationSet?: string | undefined;
}

/** Why an execution stopped without an effect: a reason of the gate of today, or that consent is missing. */
export type Refusal = ReasonCode | 'CALL_CHANGED' | 'CONSENT_MISSING';

/**
 * The second site of the gate. Builds the call anew, lets the policy of today decide on it, verifies the consents,
 * and only then acts. What became stricter since planning stops here, and a person is told.
 */
export async function executeAction(
  parts: ExecutionParts,
  key: ActionStepKey,
): Promise<{ state: string; reason: string }> {
  const rebuilt = await rebuild(parts, key);
  if (rebuilt === undefined) return { state: 'refused', reason: 'CALL_CHANGED' };
  const { call, decision: recorded } = rebuilt;
  const { category, standing } = recorded;
  const decision = gate(parts.policy, { call, category, standing, now: parts.clock.now() });
  const consents = await readConsents(parts.store, key);
  const refusal = refusalOf(decision, recorded.decision);
  if (refusal !== undefined) return { state: 'refused', reason: refusal };
  if (!(await hasRecordedConsent(parts, recorded.decision, consents))) {
    return { state: 'refused', reason: 'CONSENT_MISSING' };
  }
  try {
    const clearance = await clear({
      call,
      decision,
      circle: parts.circle,
      consents,
      verify: parts.verifyConsent,
    });
    const { state } = await execute(clearance, contextOf(parts, key, rebuilt));
    return { state, reason: decision.reason };
  } catch (error) {
    if (!isCaregateError(error, 'CLEARANCE_REFUSED')) throw error;
    return { state: 'refused', reason: 'CONSENT_MISSING' };
  }
}

/** Asks the world what became of an action's effect. */
export async function reconcileAction(
  parts: ExecutionParts,
  key: ActionStepKey,
): Promise<{ state: string; reason: string }> {
  const rebuilt = await rebuildCall(parts.store, parts.circle, key);
  const { state } = await reconcile(rebuilt.call, contextOf(parts, key, rebuilt));
  return { state, reason: `EFFECT_${state.toUpperCase()}` };
}

/** Reads an action's effect afresh and writes its receipt. */
export async function verifyAction(
  parts: ExecutionParts,
  key: ActionStepKey,
): Promise<Pick<EffectReceipt, 'status' | 'key' | 'sha256'>> {
  const rebuilt = await rebuildCall(parts.store, parts.circle, key);
  const receipt = await verifyEffect(rebuilt.call, contextOf(parts, key, rebuilt));
  return { status: receipt.status, key: receipt.key, sha256: receipt.sha256 };
}

async function rebuild(parts: ExecutionParts, key: ActionStepKey): Promise<RebuiltCall | undefined> {
  try {
    return await rebuildCall(parts.store, parts.circle, key);
  } catch (error) {
    if (isCaregateError(error, 'CALL_UNRESOLVED')) return undefined;
    throw error;
  }
}

/**
 * Why an effect must not be made: the call changed, or it is denied, by the decision of today or by the recorded
 * one. Rules that were relaxed since let nothing through that had been refused.
 */
function refusalOf(
  today: Decision,
  recorded: Pick<Decision, 'outcome' | 'reason' | 'callDigest'>,
): Refusal | undefined {
  if (today.callDigest !== recorded.callDigest) return 'CALL_CHANGED';
  if (today.outcome === 'DENY') return today.reason;
  return recorded.outcome === 'DENY' ? recorded.reason : undefined;
}

/**
 * Whether the people whom the recorded decision asked for have consented. The clearance asks for what the rules of
 * today ask for; where those ask for nobody any more, an auditor would still miss the consents of then.
 */
async function hasRecordedConsent(
  { circle, verifyConsent }: ExecutionParts,
  { consent: needed, callDigest }: Pick<Decision, 'consent' | 'callDigest'>,
  consents: readonly Consent[],
): Promise<boolean> {
  if (needed === undefined) return true;
  const entitled = circle.people.filter(({ roles }) => roles.some((role) => needed.roles.includes(role)));
  const people = new Set<string>();
  for (const consent of consents) {
    const counts = consent.callDigest === callDigest && entitled.some(({ id }) => id === consent.person);
    if (counts && (await verifyConsent(consent))) people.add(consent.person);
  }
  return people.size >= needed.people;
}

/** What lies under the action's consents. Each is only a claim until its signature was verified. */
export async function readConsents(store: ObjectStore, key: ActionStepKey): Promise<Consent[]> {
  const keys = await store.list(layout.consents(key, key.action));
  const found = await Promise.all(keys.map((at) => findRecord(store, at, consentSchema)));
  return found.filter((consent) => consent !== undefined);
}

function contextOf(parts: ExecutionParts, key: ActionStepKey, { record }: RebuiltCall): EffectContext {
  const { store, ses, circle, clock, randomness } = parts;
  return {
    store,
    ses,
    circle,
    clock,
    randomness,
    configurationSet: parts.configurationSet,
    caseKey: { circle: key.circle, case: key.case },
    sender: record.judgement.sender?.id ?? 'released',
    attempt: digestOf({ execution: key.execution, case: key.case, action: key.action }).slice(0, 32),
    document: async (digest) => {
      const object = await store.read(layout.document(key, digest));
      if (sha256(object.bytes) !== digest) {
        throw new CaregateError(
          'DIGEST_MISMATCH',
          `document \`${digest}\` is not the one that was read; run \`caregate audit\``,
        );
      }
      return object.bytes;
    },
  };
}
