import * as z from 'zod';
import { type Clock, isoTime } from '../provenance/clock.ts';
import type { CaseIndex } from './caseindex.ts';
import { layout } from './layout.ts';
import { findRecord, writeRecord } from './record.ts';
import { type ParkedRecord, parkedRecordSchema, pointerSchema, sha256Schema } from './schemas.ts';
import { stepSchema } from './step.ts';
import type { ObjectStore } from './store.ts';

export const parkingInputSchema = stepSchema.extend({
  reason: z.string(),
  message: sha256Schema,
  delivery: pointerSchema,
});
export type ParkingInput = z.infer<typeof parkingInputSchema>;

export interface ParkingParts {
  readonly store: ObjectStore;
  readonly index: CaseIndex;
  readonly clock: Clock;
}

/** Parks a run of a case that could not go on, with the code of what stopped it. A person can resume the case. */
export async function park(parts: ParkingParts, input: ParkingInput): Promise<{ status: 'parked' }> {
  const record = await keepParked(parts, input);
  await parts.index.note(input, { status: 'parked', reason: record.reason, execution: input.execution });
  return { status: 'parked' };
}

/** Writes why a run stopped and what it was for, once. */
export async function keepParked(
  { store, clock }: Pick<ParkingParts, 'store' | 'clock'>,
  input: ParkingInput,
): Promise<ParkedRecord> {
  const key = layout.parked(input, input.execution);
  const before = await findRecord(store, key, parkedRecordSchema);
  const record: ParkedRecord = before ?? {
    execution: input.execution,
    reason: codeOf(input.reason),
    origin: { message: input.message, delivery: input.delivery },
    at: isoTime(clock),
  };
  await writeRecord(store, key, record);
  return record;
}

/** An error's name as a code. What does not look like one is not repeated: it might hold anything. */
function codeOf(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/.test(name) ? name : 'UNEXPECTED';
}
