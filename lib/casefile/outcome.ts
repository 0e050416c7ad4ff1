import * as z from 'zod';
import { isCaregateError } from '../errors.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { layout } from './layout.ts';
import { findRecord, readRecord, writeRecord } from './record.ts';
import { type ActionStatus, actionStatuses, outcomeRecordSchema } from './schemas.ts';
import { actionStepSchema } from './step.ts';
import type { ObjectStore } from './store.ts';

export const outcomeInputSchema = actionStepSchema.extend({
  /** `failed` is not an outcome: the action stays open, and the case is parked. */
  status: z.enum([...actionStatuses, 'failed']),
  reason: z.string().regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/),
});
export type OutcomeInput = z.infer<typeof outcomeInputSchema>;

/** Endings that a person is told of at once; the rest stands in the mail that closes the case. */
const told: ReadonlySet<string> = new Set([
  'refused',
  'declined',
  'expired',
  'unknown',
  'conflict',
  'not_available',
]);

/**
 * Writes how an action ended, once. An ending that is there already stands.
 * @returns the status that stands, and whether a person is told of it now
 */
export async function recordOutcome(
  parts: { readonly store: ObjectStore; readonly clock: Clock },
  input: OutcomeInput,
): Promise<{ status: ActionStatus | 'failed'; tell: boolean }> {
  if (input.status === 'failed') return { status: 'failed', tell: false };
  const key = layout.outcome(input, input.action);
  const before = await findRecord(parts.store, key, outcomeRecordSchema);
  const { status, reason } = input;
  const standing = before ?? (await write(parts.store, key, { status, reason, at: isoTime(parts.clock) }));
  return { status: standing.status, tell: told.has(standing.status) };
}

async function write(store: ObjectStore, key: string, outcome: z.infer<typeof outcomeRecordSchema>) {
  try {
    await writeRecord(store, key, outcome);
    return outcome;
  } catch (error) {
    if (!isCaregateError(error, 'CREATE_CONFLICT')) throw error;
    return readRecord(store, key, outcomeRecordSchema);
  }
}
