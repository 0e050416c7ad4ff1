import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { sha256Schema } from '../casefile/schemas.ts';
import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import type { ObservationContext } from './context.ts';

/** That one run of the effect, and no other, may hand the letter to SES. Written before it does. */
export const attemptSchema = z.strictObject({
  attempt: z.string(),
  /** Random: tells this run's record from one that another run wrote at the same moment. */
  run: z.string(),
  sha256: sha256Schema,
  at: z.iso.datetime(),
});

/** What SES answered. */
export const sentSchema = z.strictObject({
  attempt: z.string(),
  sha256: sha256Schema,
  /** The id that SES gave the letter. */
  messageId: z.string().min(1).max(200),
  at: z.iso.datetime(),
});
export type Sent = z.infer<typeof sentSchema>;

/** That SES refused the letter, so that none was sent. */
export const rejectedSchema = z.strictObject({
  attempt: z.string(),
  /** The name of the error of SES. */
  error: z.string().max(100),
  at: z.iso.datetime(),
});

/**
 * What is known of a letter: `ready` (nobody has begun to send it), `sent`, or `unknown` (somebody began, and what
 * became of it was not recorded).
 * @throws CaregateError `LETTER_REJECTED` if SES refused it
 */
export async function postingState(
  call: Call,
  context: ObservationContext,
): Promise<{ state: 'ready' | 'unknown' } | { state: 'sent'; sent: Sent }> {
  const { store, caseKey } = context;
  const sent = await findRecord(store, layout.sent(caseKey, call.action), sentSchema);
  if (sent !== undefined) return { state: 'sent', sent };
  const rejected = await findRecord(store, layout.rejected(caseKey, call.action), rejectedSchema);
  if (rejected !== undefined) throw letterRejected(rejected.error);
  const attempt = await findRecord(store, layout.attempt(caseKey, call.action), attemptSchema);
  return { state: attempt === undefined ? 'ready' : 'unknown' };
}

/** That the mail service took no letter, and never will. */
export function letterRejected(error: string): CaregateError {
  return new CaregateError(
    'LETTER_REJECTED',
    `the mail service refused the letter with \`${error}\`; nothing was sent, so correct the cause and write again`,
  );
}
