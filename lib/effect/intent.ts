import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord, type Pointer, writeRecord } from '../casefile/record.ts';
import { caseIdSchema, circleIdSchema, sha256Schema } from '../casefile/schemas.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import { type Call, callDigest } from '../proposal/call.ts';
import { toolNames } from '../proposal/catalogue.ts';
import { isoTime } from '../provenance/clock.ts';
import { digestOf, sha256 } from '../provenance/digest.ts';
import type { ObservationContext, Preparation, PreparationContext, Seed } from './context.ts';

/** What will be done, written down before it is done: the only effect of this action that can ever be ours. */
export const intentSchema = z.strictObject({
  tool: z.enum(toolNames as [Call['tool'], ...Call['tool'][]]),
  circle: circleIdSchema,
  case: caseIdSchema,
  action: z.int().positive(),
  callDigest: sha256Schema,
  /** Where the effect's object lies, and the digest of its bytes. */
  key: z.string().min(1).max(1024),
  sha256: sha256Schema,
  attempt: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  createdAt: z.iso.datetime(),
});
export type Intent = z.infer<typeof intentSchema>;

/** The intent of an action, if there is one. */
export function findIntent(call: Call, context: ObservationContext): Promise<Intent | undefined> {
  return findRecord(context.store, layout.intent(context.caseKey, call.action), intentSchema);
}

/** Where an intent lies, and its digest, for what refers to it. */
export function intentPointer(intent: Intent, context: ObservationContext): Pointer {
  return { key: layout.intent(context.caseKey, intent.action), sha256: digestOf(intent) };
}

export type Prepare = (
  call: Call,
  context: PreparationContext,
  seed: Seed,
) => Preparation | Promise<Preparation>;

/**
 * Writes the intent of an action once and prepares its effect. An intent that exists is used again with its own
 * attempt and time, so that what an earlier run wrote has the same bytes and is recognised as ours.
 * @returns nothing where the recorded intent is for another call, or would no longer give the same bytes
 */
export async function recordIntent(
  call: Call,
  context: ObservationContext,
  prepare: Prepare,
): Promise<{ intent: Intent; preparation: Preparation } | undefined> {
  const earlier = await findIntent(call, context);
  if (earlier !== undefined) return continueIntent(earlier, call, context, prepare);
  const seed = { attempt: context.attempt, createdAt: isoTime(context.clock) };
  const preparation = await adopt(await prepare(call, context, seed), context);
  const intent = intentOf(call, preparation, seed);
  try {
    await writeRecord(context.store, layout.intent(context.caseKey, call.action), intent);
  } catch (error) {
    if (!isCaregateError(error, 'CREATE_CONFLICT')) throw error;
    const other = await findIntent(call, context);
    if (other === undefined) throw error;
    return continueIntent(other, call, context, prepare);
  }
  return { intent, preparation };
}

async function continueIntent(
  intent: Intent,
  call: Call,
  context: ObservationContext,
  prepare: Prepare,
): Promise<{ intent: Intent; preparation: Preparation } | undefined> {
  if (intent.callDigest !== callDigest(call)) return undefined;
  const preparation = await prepare(call, context, intent);
  if (intent.key !== preparation.key) return undefined;
  if (intent.sha256 === sha256(preparation.bytes)) return { intent, preparation };
  // Another release may write the same thing otherwise; what was written as intended stays what it is.
  const present = await context.store.find(intent.key);
  if (present?.sha256 !== intent.sha256) return undefined;
  return { intent, preparation: { ...preparation, bytes: present.bytes } };
}

/** The preparation, with the bytes that lie at its key where those say the same already. */
async function adopt(preparation: Preparation, context: ObservationContext): Promise<Preparation> {
  if (preparation.saysTheSame === undefined) return preparation;
  const present = await context.store.find(preparation.key);
  if (present === undefined || !preparation.saysTheSame(present.bytes)) return preparation;
  return { ...preparation, bytes: present.bytes };
}

function intentOf(call: Call, preparation: Preparation, seed: Seed): Intent {
  const result = intentSchema.safeParse({
    tool: call.tool,
    circle: call.circle,
    case: call.case,
    action: call.action,
    callDigest: callDigest(call),
    key: preparation.key,
    sha256: sha256(preparation.bytes),
    attempt: seed.attempt,
    createdAt: seed.createdAt,
  });
  if (result.success) return result.data;
  throw new CaregateError(
    'INVALID_INPUT',
    `the intent of \`${call.tool}\` does not have its form; give \`attempt\` as base64url`,
    { cause: result.error },
  );
}
