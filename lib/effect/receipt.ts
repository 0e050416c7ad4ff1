import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord, writeRecord } from '../casefile/record.ts';
import { sha256Schema } from '../casefile/schemas.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import { toolNames } from '../proposal/catalogue.ts';
import { digestOf, type Sha256 } from '../provenance/digest.ts';
import type { ObservationContext } from './context.ts';

/** How an effect can stand. There is no receipt for what this release cannot make. */
export const effectStatuses = ['verified', 'sent', 'unknown', 'conflict', 'not_available'] as const;
export type EffectStatus = (typeof effectStatuses)[number];

/** What was verified after an effect. The receipts of a case form a chain: each names the digest of the one before. */
export const receiptSchema = z.strictObject({
  /** From 1, without gaps. */
  number: z.int().positive(),
  action: z.int().positive(),
  tool: z.enum(toolNames as [(typeof toolNames)[number], ...(typeof toolNames)[number][]]),
  callDigest: sha256Schema,
  status: z.enum(['verified', 'sent', 'unknown', 'conflict']),
  /** The digest of the intent's record. */
  intent: sha256Schema,
  /** Where the effect lies, the version that was read, and the SHA-256 of the bytes that a fresh read gave. */
  key: z.string().min(1).max(1024),
  version: z.string().max(1024).optional(),
  sha256: sha256Schema,
  /** The id that SES gave a letter. */
  messageId: z.string().max(200).optional(),
  /** The digest of the receipt before, or null for the first. */
  previous: sha256Schema.nullable(),
  at: z.iso.datetime(),
});
export type EffectReceipt = z.infer<typeof receiptSchema>;

/** A receipt before it has its place in the chain. */
export type Finding = Omit<EffectReceipt, 'number' | 'previous'>;

/** More receipts than a case can have: 8 actions in each of a handful of rounds, each looked at more than once. */
const longestChain = 999;

/**
 * Appends a receipt to the chain of the case. Actions that run side by side take their numbers one after the other,
 * and a finding that is on record already is not recorded again.
 * @returns the receipt as it stands in the chain
 */
export async function appendReceipt(finding: Finding, context: ObservationContext): Promise<EffectReceipt> {
  let previous: Sha256 | null = null;
  let latest: EffectReceipt | undefined;
  for (let number = 1; number <= longestChain; number += 1) {
    const receipt = await receiptAt(number, context);
    if (receipt !== undefined) {
      if (receipt.previous !== previous || receipt.number !== number) throw broken(number);
      previous = digestOf(receipt);
      if (receipt.action === finding.action) latest = receipt;
      continue;
    }
    if (latest !== undefined && saysTheSame(latest, finding)) return latest;
    const next: EffectReceipt = { ...finding, number, previous };
    if (await create(next, context)) return next;
    number -= 1; // somebody else took the number: read what they wrote, and go on from there
  }
  throw new CaregateError('INVALID_INPUT', `the case has more than \`${longestChain}\` receipts; audit it`);
}

function receiptAt(number: number, context: ObservationContext): Promise<EffectReceipt | undefined> {
  return findRecord(context.store, layout.receipt(context.caseKey, number), receiptSchema);
}

async function create(receipt: EffectReceipt, context: ObservationContext): Promise<boolean> {
  try {
    await writeRecord(context.store, layout.receipt(context.caseKey, receipt.number), receipt);
    return true;
  } catch (error) {
    if (isCaregateError(error, 'CREATE_CONFLICT')) return false;
    throw error;
  }
}

function saysTheSame(receipt: EffectReceipt, finding: Finding): boolean {
  const fields = ['callDigest', 'status', 'intent', 'key', 'version', 'sha256', 'messageId'] as const;
  return fields.every((field) => receipt[field] === finding[field]);
}

function broken(number: number): CaregateError {
  return new CaregateError(
    'DIGEST_MISMATCH',
    `receipt \`${number}\` does not follow the one before it; run \`caregate audit\``,
  );
}
