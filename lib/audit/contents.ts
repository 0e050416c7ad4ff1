import { layout } from '../casefile/layout.ts';
import type { StoredObject } from '../casefile/store.ts';
import { isSameAppointment } from '../effect/appointment.ts';
import type { PreparationContext } from '../effect/context.ts';
import type { Intent } from '../effect/intent.ts';
import { preparationOf } from '../effect/preparation.ts';
import { isCaregateError } from '../errors.ts';
import { parseMessage } from '../mail/message.ts';
import type { Call } from '../proposal/call.ts';
import { digestOf } from '../provenance/digest.ts';
import type { Examination } from './examination.ts';

/**
 * What was written says what its call says: a letter goes to the call's contact, with its subject, text and
 * attachments; an appointment has the call's title, times and place and nothing else. Both are compared by what a
 * reader gets out of them, so that another release, which may write the same thing otherwise, still agrees.
 */
export async function checkContents(examination: Examination): Promise<void> {
  for (const { action, intent, decision } of examination.dossier.actions) {
    const call = examination.calls.get(action);
    const object = intent === undefined ? undefined : await examination.object(intent.key);
    if (intent === undefined || call === undefined || object?.sha256 !== intent.sha256) continue;
    const circle = decision && examination.policies.get(decision.decision.policyDigest)?.circle;
    if (circle === undefined) continue;
    const context: PreparationContext = {
      circle,
      caseKey: examination.dossier.key,
      sender: examination.dossier.record?.judgement.sender?.id ?? 'released',
      document: async (digest) =>
        (await examination.object(layout.document(examination.dossier.key, digest)))?.bytes ??
        new Uint8Array(),
    };
    if (!(await saysTheSame(call, context, intent, object))) {
      examination.found('EFFECT_MISMATCH', intent.key, { action });
    }
  }
}

async function saysTheSame(
  call: Call,
  context: PreparationContext,
  intent: Intent,
  { bytes }: StoredObject,
): Promise<boolean> {
  try {
    const again = await preparationOf(call.tool)?.(call, context, intent);
    if (again === undefined) return false;
    switch (call.tool) {
      case 'send_email':
        return (await letterSays(again.bytes)) === (await letterSays(bytes));
      case 'add_appointment':
        return isSameAppointment(again.bytes, bytes);
      default:
        return Buffer.compare(again.bytes, bytes) === 0;
    }
  } catch (error) {
    if (isCaregateError(error)) return false;
    throw error;
  }
}

/** To whom a letter goes and what is in it. From whom it comes may have been changed in the circle since. */
async function letterSays(mime: Uint8Array): Promise<string> {
  const { to, subject, parts } = await parseMessage(mime);
  return digestOf({
    to: to.map(({ address }) => address),
    subject,
    parts: parts.map(({ digest, fileName, role }) => ({ digest, fileName, role })),
  });
}
