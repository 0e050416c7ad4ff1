import type { SESClient } from '@aws-sdk/client-ses';
import type { RefusalReason } from '../approval/wording.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import type { ActionStepKey } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import { clear } from '../policy/clearance.ts';
import { type Consent, type ConsentVerifier, consentSchema } from '../policy/consent.ts';
import type { Decision } from '../policy/decision.ts';
import { gate } from '../policy/gate.ts';
import type { CompiledPolicy } from '../policy/rules.ts';
import { type RebuiltCall, rebuildCall } from '../proposal/rebuilding.ts';
import { type CheckingParts, observationContext } from './checking.ts';
import { execute } from './execute.ts';

export interface ExecutionParts extends CheckingParts {
  readonly ses: Pick<SESClient, 'send'>;
  readonly policy: CompiledPolicy;
  readonly verifyConsent: ConsentVerifier;
  readonly configurationSet?: string | undefined;
}

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
    const { state } = await execute(clearance, {
      ...observationContext(parts, key, rebuilt),
      ses: parts.ses,
      configurationSet: parts.configurationSet,
    });
    return { state, reason: decision.reason };
  } catch (error) {
    if (!isCaregateError(error, 'CLEARANCE_REFUSED')) throw error;
    return { state: 'refused', reason: 'CONSENT_MISSING' };
  }
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
): RefusalReason | undefined {
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
