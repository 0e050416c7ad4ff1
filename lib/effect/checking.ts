import { senderName } from '../casefile/appointmentname.ts';
import { layout } from '../casefile/layout.ts';
import type { ActionStepKey } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError } from '../errors.ts';
import { type RebuiltCall, rebuildCall } from '../proposal/rebuilding.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import { digestOf, sha256 } from '../provenance/digest.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { ObservationContext } from './context.ts';
import type { EffectReceipt } from './receipt.ts';
import { verifyEffect } from './verify.ts';

/** What looking at an effect takes. Neither rules nor consents: nothing is decided, and nothing leaves. */
export interface CheckingParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Reads an action's effect afresh and writes its receipt. */
export async function verifyAction(
  parts: CheckingParts,
  key: ActionStepKey,
): Promise<Pick<EffectReceipt, 'status' | 'key' | 'sha256'>> {
  const rebuilt = await rebuildCall(parts.store, parts.circle, key);
  const receipt = await verifyEffect(rebuilt.call, observationContext(parts, key, rebuilt));
  return { status: receipt.status, key: receipt.key, sha256: receipt.sha256 };
}

/** What the effects of an action are looked at with. */
export function observationContext(
  parts: CheckingParts,
  key: ActionStepKey,
  { record }: RebuiltCall,
): ObservationContext {
  const { store, circle, clock, randomness } = parts;
  return {
    store,
    circle,
    clock,
    randomness,
    caseKey: { circle: key.circle, case: key.case },
    sender: senderName(record.judgement),
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
