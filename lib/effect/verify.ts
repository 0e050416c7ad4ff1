import { CaregateError } from '../errors.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import { isoTime } from '../provenance/clock.ts';
import type { ObservationContext } from './context.ts';
import { reach } from './faults.ts';
import { intentPointer } from './intent.ts';
import { type EffectState, observe, requireSameCase } from './observation.ts';
import { appendReceipt, type EffectReceipt, type Finding } from './receipt.ts';

/**
 * Reads a call's effect afresh, digests it here, compares it with the intent and appends what was found to the
 * receipts of the case. Verifying twice gives the same receipt.
 * @throws CaregateError `NOT_FOUND` if there is no effect to verify; `DIGEST_MISMATCH` if the chain of receipts is
 *   broken; `LETTER_REJECTED`, `STORE_UNAVAILABLE`
 */
export async function verifyEffect(call: Call, context: ObservationContext): Promise<EffectReceipt> {
  requireSameCase(call, context);
  const finding = await findingOf(call, context);
  await reach(context.faults, 'before_receipt');
  const receipt = await appendReceipt(finding, context);
  await reach(context.faults, 'after_receipt');
  return receipt;
}

async function findingOf(call: Call, context: ObservationContext): Promise<Finding> {
  const { state, intent, object, sent } = await observe(call, context);
  if (state === 'absent' || intent === undefined || object === undefined) {
    throw new CaregateError(
      'NOT_FOUND',
      `action \`${call.action}\` has no effect to verify; execute it first`,
    );
  }
  return {
    action: call.action,
    tool: call.tool,
    callDigest: callDigest(call),
    status: statusOf(call, state),
    intent: intentPointer(intent, context).sha256,
    key: intent.key,
    sha256: object.sha256,
    ...(object.version === undefined ? {} : { version: object.version }),
    ...(sent === undefined ? {} : { messageId: sent.messageId }),
    at: isoTime(context.clock),
  };
}

function statusOf(call: Call, state: EffectState): EffectReceipt['status'] {
  if (state !== 'applied') return state;
  return call.tool === 'send_email' ? 'sent' : 'verified';
}
