import * as z from 'zod';
import { isCaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, dayIn, isoTime } from '../provenance/clock.ts';
import { type ActionRecord, readActions } from './actions.ts';
import type { CaseIndex } from './caseindex.ts';
import { layout } from './layout.ts';
import { findRecord, writeRecord } from './record.ts';
import { type ClosingRecord, closingRecordSchema } from './schemas.ts';
import { stepSchema } from './step.ts';
import type { ObjectStore } from './store.ts';

export const closingInputSchema = stepSchema.extend({ standing: z.string(), reason: z.string() });
export type ClosingInput = z.infer<typeof closingInputSchema>;

export interface ClosingParts {
  readonly store: ObjectStore;
  readonly index: CaseIndex;
  readonly circle: Pick<Circle, 'timezone'>;
  readonly clock: Clock;
}

type ClosedStatus = 'closed' | 'quarantined' | 'ignored' | 'deferred';

/**
 * Closes a run of a case: every action with how it ended, as one record.
 * @returns the case's status, and whether a person is told now
 */
export async function closeCase(
  parts: ClosingParts,
  input: ClosingInput,
): Promise<{ status: ClosedStatus; tell: boolean }> {
  const status = statusOf(input.standing);
  const closing = await write(parts, input, status);
  await parts.index.note(input, { status, reason: closing.reason });
  return { status, tell: await isTold(parts, input, status) };
}

async function write(parts: ClosingParts, input: ClosingInput, status: ClosedStatus): Promise<ClosingRecord> {
  const { store, clock } = parts;
  const key = layout.closing(input, input.execution);
  const before = await findRecord(store, key, closingRecordSchema);
  if (before !== undefined) return before;
  const actions = (await readActions(store, input)).flatMap(lineOf);
  const reason = status === 'closed' ? 'EVERYTHING_DONE' : input.reason;
  const closing = { execution: input.execution, status, reason, actions, at: isoTime(clock) };
  await writeRecord(store, key, closing);
  return closing;
}

function lineOf({ action, proposal, decision, outcome }: ActionRecord): ClosingRecord['actions'] {
  if (proposal === undefined || decision === undefined || proposal.tool === 'no_further_action') return [];
  const { outcome: decided, reason } = decision.decision;
  return [{ action, tool: proposal.tool, outcome: decided, reason, status: outcome?.status ?? 'noted' }];
}

function statusOf(standing: string): ClosedStatus {
  switch (standing) {
    case 'quarantined':
    case 'ignored':
    case 'deferred':
      return standing;
    default:
      return 'closed';
  }
}

/** What is ignored, and told of all the same: a person waits for what becomes of it. */
const toldThough = ['FORWARDING_CONFIRMATION', 'REPLY_TO_NOTICE'];

/**
 * A closed case is told of each time, and so is what a person waits for. Of deferred mails a person is told at once for
 * the first of a day; whoever creates the day's marker tells, so that a flood of mails is one notice. Mails in quarantine
 * wait for the day's summary.
 */
async function isTold(parts: ClosingParts, input: ClosingInput, status: ClosedStatus): Promise<boolean> {
  if (status === 'closed' || toldThough.includes(input.reason)) return true;
  if (status === 'ignored' || status === 'quarantined') return false;
  const day = dayIn(parts.circle.timezone, parts.clock.now());
  const marker = layout.told(input.circle, status, day);
  try {
    await writeRecord(parts.store, marker, { execution: input.execution });
    return true;
  } catch (error) {
    if (isCaregateError(error, 'CREATE_CONFLICT')) return false;
    throw error;
  }
}
