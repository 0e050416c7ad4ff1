import * as z from 'zod';
import { findRecord, type Pointer, writeRecord } from '../casefile/record.ts';
import { approvalIdSchema, sha256Schema } from '../casefile/schemas.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import { type ReasonCode, reasonCodes } from '../policy/decision.ts';
import { digestOf } from '../provenance/digest.ts';
import { circleRoles } from '../provenance/roles.ts';
import { requestKinds } from './entry.ts';
import { presentationSchema } from './presentation.ts';

/** What was put before people, to the letter: no code, no link, no token. */
export const approvalRecordSchema = z.strictObject({
  approval: approvalIdSchema,
  kind: z.enum(requestKinds),
  callDigest: sha256Schema,
  reason: z.enum(Object.keys(reasonCodes) as [ReasonCode, ...ReasonCode[]]),
  presentation: presentationSchema,
  /** How many different people, and with which of the roles. */
  consent: z.strictObject({ people: z.int().positive(), roles: z.array(z.enum(circleRoles)) }),
  /** The ids of the people who were asked. */
  people: z.array(z.string()).min(1),
  requestedAt: z.iso.datetime(),
  expires: z.iso.datetime(),
});
export type ApprovalRecord = z.infer<typeof approvalRecordSchema>;

/** One person's refusal of one call, with the proof that she was asked for it. */
export const declineRecordSchema = z.strictObject({
  approval: approvalIdSchema,
  callDigest: sha256Schema,
  person: z.string(),
  link: z.string().max(4096),
  reason: z.string().max(500).optional(),
  at: z.iso.datetime(),
});
export type DeclineRecord = z.infer<typeof declineRecordSchema>;

/**
 * Writes what is put before people, once under a key: one for each action, and one for each mail in quarantine. Of a repeated request the first stands, if it is for the same
 * call.
 * @throws CaregateError `CREATE_CONFLICT` if something else was presented under the key
 */
export async function keepRecord(
  store: ObjectStore,
  at: string,
  record: ApprovalRecord,
): Promise<{ record: ApprovalRecord; pointer: Pointer }> {
  const standing = (await findRecord(store, at, approvalRecordSchema)) ?? (await write(store, at, record));
  if (standing.callDigest !== record.callDigest) {
    throw new CaregateError('CREATE_CONFLICT', `record \`${at}\` presents another call; nothing was asked`);
  }
  return { record: standing, pointer: { key: at, sha256: digestOf(standing) } };
}

async function write(store: ObjectStore, at: string, record: ApprovalRecord): Promise<ApprovalRecord> {
  try {
    await writeRecord(store, at, record);
    return record;
  } catch (error) {
    const standing = isCaregateError(error, 'CREATE_CONFLICT')
      ? await findRecord(store, at, approvalRecordSchema)
      : undefined;
    if (standing === undefined) throw error;
    return standing;
  }
}
