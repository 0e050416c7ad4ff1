import { execute } from '../../lib/effect/execute.ts';
import type { FaultRegistry } from '../../lib/effect/faults.ts';
import { reconcile } from '../../lib/effect/reconcile.ts';
import { verifyEffect } from '../../lib/effect/verify.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { appointmentCall, filingCall, letterCall } from '../effect/calls.ts';
import { preparing } from '../effect/preparing.ts';
import { cleared, clientsOf, type Endpoints } from '../effect/world.ts';

const calls = { file_document: filingCall(), add_appointment: appointmentCall(), send_email: letterCall() };
export type Effect = keyof typeof calls;

/** Makes an effect as the machine does, with clients of its own: execute, reconcile, verify. */
export async function runEffect(
  effect: Effect,
  attempt: string,
  endpoints: Endpoints,
  faults?: FaultRegistry,
): Promise<{ executed: string; reconciled: string; status: string }> {
  const { store, ses } = clientsOf(endpoints);
  const context = preparing({
    store,
    ses,
    clock: systemClock,
    randomness: systemRandomness,
    attempt,
    faults,
  });
  const call = calls[effect];
  const { state: executed } = await execute(await cleared(call), context);
  const { state: reconciled } = await reconcile(call, context);
  const { status } = await verifyEffect(call, context);
  return { executed, reconciled, status };
}
