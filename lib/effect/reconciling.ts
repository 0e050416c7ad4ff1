import type { ActionStepKey } from '../casefile/step.ts';
import { rebuildCall } from '../proposal/rebuilding.ts';
import { type CheckingParts, observationContext } from './checking.ts';
import { reconcile } from './reconcile.ts';

/** Asks the world what became of an action's effect. */
export async function reconcileAction(
  parts: CheckingParts,
  key: ActionStepKey,
): Promise<{ state: string; reason: string }> {
  const rebuilt = await rebuildCall(parts.store, parts.circle, key);
  const { state } = await reconcile(rebuilt.call, observationContext(parts, key, rebuilt));
  return { state, reason: `EFFECT_${state.toUpperCase()}` };
}
