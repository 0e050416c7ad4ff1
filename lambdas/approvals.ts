import { InvokeCommand } from '@aws-sdk/client-lambda';
import { fetchPublicKey } from '../lib/approval/link.ts';
import type { Notice, NoticeResult } from '../lib/approval/notice.ts';
import { ApprovalRegister } from '../lib/approval/register.ts';
import { CaregateError } from '../lib/errors.ts';
import type { Parts } from './parts.ts';

/** What approvals are made of: the register, the signing key, and the one way to people, which is `notify`. */
export function approvalParts(parts: Parts) {
  return {
    store: parts.store,
    circle: parts.circle,
    clock: parts.clock,
    randomness: parts.randomness,
    sfn: parts.sfn,
    register: new ApprovalRegister(parts.dynamodb, parts.settings.CAREGATE_APPROVAL_TABLE),
    signer: { kms: parts.kms, keyId: parts.settings.CAREGATE_SIGNING_KEY },
    publicUrl: parts.settings.CAREGATE_PUBLIC_URL,
    notify: (notice: Notice) => callNotify(parts, notice),
  };
}

/** The same with the public key, for what decides. */
export async function decisionParts(parts: Parts) {
  const approvals = approvalParts(parts);
  return { ...approvals, publicKey: await fetchPublicKey(approvals.signer) };
}

/** Hands a notice to `notify`. The circle is not handed over: `notify` reads its own, and can reach nobody else. */
async function callNotify(parts: Parts, { id, kind, people, slots }: Notice): Promise<NoticeResult> {
  const answer = await parts.lambda.send(
    new InvokeCommand({
      FunctionName: parts.settings.CAREGATE_NOTIFY_FUNCTION,
      Payload: new TextEncoder().encode(JSON.stringify({ notice: { id, kind, people, slots } })),
    }),
  );
  if (answer.FunctionError !== undefined) {
    throw new CaregateError('NOTICE_NOT_SENT', `notice \`${kind}\` did not leave; it is tried again`);
  }
  return JSON.parse(new TextDecoder().decode(answer.Payload)) as NoticeResult;
}
