import type { Call } from '../proposal/call.ts';
import { isoTime } from '../provenance/clock.ts';
import type { ObservationContext } from './context.ts';
import { type Observation, observe } from './observation.ts';
import { preparationOf } from './preparation.ts';

/**
 * Asks the world what became of a call's effect before anything is tried again. Where nothing was begun, the effect is
 * prepared once to see whether it can be made at all.
 * @throws CaregateError what `execute` would throw if the effect can never be made, so that it is not tried for ever;
 *   `LETTER_REJECTED`, `STORE_UNAVAILABLE`
 */
export async function reconcile(call: Call, context: ObservationContext): Promise<Observation> {
  const observed = await observe(call, context);
  if (observed.intent === undefined) {
    const seed = { attempt: context.attempt, createdAt: isoTime(context.clock) };
    await preparationOf(call.tool)?.(call, context, seed);
  }
  return observed;
}
