import type { StoredObject } from '../casefile/store.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import { isoTime } from '../provenance/clock.ts';
import type { EffectContext } from './context.ts';
import { findIntent, type Intent } from './intent.ts';
import { postingState, type Sent } from './posting.ts';
import { preparationOf, requireSameCase } from './preparation.ts';

/** What the world says about an effect, and the evidence for it. Nothing here was believed from an earlier step. */
export interface Reconciliation {
  /**
   * - `absent`: the effect was not made, so it may be tried
   * - `applied`: it is there, byte for byte as intended
   * - `unknown`: a letter may have been sent
   * - `conflict`: something else is there, or was intended
   */
  readonly state: 'absent' | 'applied' | 'unknown' | 'conflict';
  readonly intent?: Intent | undefined;
  /** What lies at the intent's key, read for this answer. */
  readonly object?: StoredObject | undefined;
  readonly sent?: Sent | undefined;
}

/**
 * Asks the world what became of a call's effect, by its intent and fresh reads, before anything is tried again.
 * @throws CaregateError what {@link execute} would throw if the effect can never be made, so that it is not tried
 *   for ever; `LETTER_REJECTED`, `STORE_UNAVAILABLE`
 */
export async function reconcile(call: Call, context: EffectContext): Promise<Reconciliation> {
  requireSameCase(call, context);
  const intent = await findIntent(call, context);
  if (intent === undefined) {
    await preparationOf(call.tool)?.(call, context, {
      attempt: context.attempt,
      createdAt: isoTime(context.clock),
    });
    return { state: 'absent' };
  }
  const object = await context.store.find(intent.key);
  if (intent.callDigest !== callDigest(call)) return { state: 'conflict', intent, object };
  if (object === undefined) return { state: 'absent', intent };
  if (object.sha256 !== intent.sha256) return { state: 'conflict', intent, object };
  if (call.tool !== 'send_email') return { state: 'applied', intent, object };
  const posting = await postingState(call, context);
  if (posting.state === 'sent') return { state: 'applied', intent, object, sent: posting.sent };
  return { state: posting.state === 'ready' ? 'absent' : 'unknown', intent, object };
}
