import type { StoredObject } from '../casefile/store.ts';
import { CaregateError } from '../errors.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import type { ObservationContext } from './context.ts';
import { findIntent, type Intent } from './intent.ts';
import { postingState, type Sent } from './letterrecord.ts';

/** What an effect that was tried can have come to. */
export type EffectState = 'applied' | 'unknown' | 'conflict';

/** What the world says about an effect, and the evidence for it. Nothing here was believed from an earlier step. */
export interface Observation {
  /**
   * - `absent`: the effect was not made, so it may be tried
   * - `applied`: it is there, byte for byte as intended
   * - `unknown`: a letter may have been sent
   * - `conflict`: something else is there, or was intended
   */
  readonly state: 'absent' | EffectState;
  readonly intent?: Intent | undefined;
  /** What lies at the intent's key, read for this answer. */
  readonly object?: StoredObject | undefined;
  readonly sent?: Sent | undefined;
}

/**
 * Asks the world what became of a call's effect, by its intent and fresh reads.
 * @throws CaregateError `CLEARANCE_REFUSED`, `LETTER_REJECTED`, `STORE_UNAVAILABLE`
 */
export async function observe(call: Call, context: ObservationContext): Promise<Observation> {
  requireSameCase(call, context);
  const intent = await findIntent(call, context);
  if (intent === undefined) return { state: 'absent' };
  const object = await context.store.find(intent.key);
  if (intent.callDigest !== callDigest(call)) return { state: 'conflict', intent, object };
  if (object === undefined) return { state: 'absent', intent };
  if (object.sha256 !== intent.sha256) return { state: 'conflict', intent, object };
  if (call.tool !== 'send_email') return { state: 'applied', intent, object };
  const posting = await postingState(call, context);
  if (posting.state === 'sent') return { state: 'applied', intent, object, sent: posting.sent };
  return { state: posting.state === 'ready' ? 'absent' : 'unknown', intent, object };
}

/**
 * Holds that a call belongs to the case whose file it would be written to.
 * @throws CaregateError `CLEARANCE_REFUSED`
 */
export function requireSameCase(call: Call, context: ObservationContext): void {
  const { circle, case: id } = context.caseKey;
  if (call.circle === circle && call.case === id && context.circle.id === circle) return;
  throw new CaregateError('CLEARANCE_REFUSED', `the call belongs to another case than \`${id}\``);
}
