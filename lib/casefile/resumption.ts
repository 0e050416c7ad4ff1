import type { SFNClient } from '@aws-sdk/client-sfn';
import { CaregateError } from '../errors.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { caseIdOf } from '../provenance/identifiers.ts';
import type { CaseEntry, CaseIndex } from './caseindex.ts';
import { type CaseKey, layout } from './layout.ts';
import { requireReleasable } from './quarantine.ts';
import { findRecord, type Pointer, writeRecord } from './record.ts';
import {
  type CaseRecord,
  caseRecordSchema,
  type ParkedRecord,
  parkedRecordSchema,
  releaseRecordSchema,
} from './schemas.ts';
import { startCase } from './start.ts';
import { executionName } from './step.ts';
import type { ObjectStore } from './store.ts';

export interface ResumptionParts {
  readonly store: ObjectStore;
  readonly index: CaseIndex;
  readonly sfn: SFNClient;
  readonly machine: string;
  readonly clock: Clock;
}

/** Statuses from which a case can be taken up again. */
const resumable: ReadonlySet<string> = new Set(['parked', 'deferred', 'failed']);

/**
 * Takes a case up again on a person's word: one that was parked, deferred or failed runs once more, and a mail in
 * quarantine is released into a case of its own.
 * @returns the execution that runs now
 * @throws CaregateError `NOT_FOUND`, or `INVALID_INPUT` for a case that runs, is closed or must not be opened
 */
export async function resumeCase(
  parts: ResumptionParts,
  key: CaseKey,
): Promise<{ case: string; execution: string }> {
  const entry = await parts.index.find(key);
  const record = await findRecord(parts.store, layout.case(key), caseRecordSchema);
  if (entry?.status === 'quarantined' && record !== undefined) return releaseCase(parts, record);
  const origin = record ?? (entry && (await originOf(parts.store, entry)));
  if (entry === undefined || origin === undefined) {
    throw new CaregateError(
      'NOT_FOUND',
      `case \`${key.case}\` does not exist; list the cases with \`caregate cases\``,
    );
  }
  if (!resumable.has(entry.status)) {
    throw new CaregateError(
      'INVALID_INPUT',
      `case \`${key.case}\` is \`${entry.status}\`; only a parked, deferred, failed or quarantined case can be resumed`,
    );
  }
  const run = runOf(entry.execution) + 1;
  const { message, delivery } = origin;
  await startCase(parts.sfn, parts.machine, { circle: key.circle, case: key.case, message, delivery, run });
  return { case: key.case, execution: executionName(key.case, run) };
}

/** What the newest run was started for, where it stopped before it could make the case. */
async function originOf(store: ObjectStore, entry: CaseEntry): Promise<ParkedRecord['origin']> {
  return (await findRecord(store, layout.parked(entry, entry.execution), parkedRecordSchema))?.origin;
}

/** The number of a run, from the name of its execution. */
export function runOf(execution: string): number {
  const [, run = '0'] = /-r(\d+)$/.exec(execution) ?? [];
  return Number(run);
}

/**
 * The quarantined case stays as it is: the released message becomes a case like one from a verified person. Releasing
 * it again starts nothing new.
 * @param choice what a person chose by a link, where she did
 */
export async function releaseCase(
  parts: ResumptionParts,
  record: CaseRecord,
  choice?: Pointer,
): Promise<{ case: string; execution: string }> {
  const { circle, message, delivery } = record;
  const key: CaseKey = { circle, case: record.case };
  requireReleasable(record);
  const released: CaseKey = { circle, case: caseIdOf(circle, message, true) };
  const present = await findRecord(parts.store, layout.release(released), releaseRecordSchema);
  if (present === undefined) {
    const proof = choice === undefined ? {} : { choice };
    const release = { case: key.case, at: isoTime(parts.clock), ...proof };
    await writeRecord(parts.store, layout.release(released), release);
  }
  await startCase(parts.sfn, parts.machine, { circle, case: released.case, message, delivery, run: 0 });
  await parts.index.note(key, { status: 'released' });
  return { case: released.case, execution: executionName(released.case, 0) };
}
