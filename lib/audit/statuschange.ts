import { paginateGetExecutionHistory, type SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import type { TellingInput } from '../approval/telling.ts';
import type { CaseIndex } from '../casefile/caseindex.ts';
import { layout } from '../casefile/layout.ts';
import { keepParked } from '../casefile/parking.ts';
import { type Pointer, writeRecord } from '../casefile/record.ts';
import { runOf } from '../casefile/resumption.ts';
import { type ExecutionInput, executionInputSchema } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError } from '../errors.ts';
import type { Clock } from '../provenance/clock.ts';
import { type HistoryEvent, historyEventSchema, stripHistory } from './history.ts';

/** The event bus's notice that an execution changed its status, as far as it is read here. */
export const statusChangeSchema = z.object({
  detail: z.object({
    executionArn: z.string(),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,80}$/),
    status: z.string(),
    input: z.string().nullish(),
  }),
});
export type StatusChange = z.infer<typeof statusChangeSchema>;

/** Keeps the history of an execution that ended in its case file, without task tokens. A repeated event is the same. */
export async function keepHistory(
  parts: { readonly sfn: SFNClient; readonly store: ObjectStore },
  { detail }: StatusChange,
): Promise<{ history: Pointer }> {
  const input = inputOf(detail.input);
  const events = stripHistory(await readHistory(parts.sfn, detail.executionArn));
  return { history: await writeRecord(parts.store, layout.history(input, detail.name), { events }) };
}

/** The whole history of an execution, from the service. */
export async function readHistory(sfn: SFNClient, executionArn: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for await (const page of paginateGetExecutionHistory({ client: sfn }, { executionArn, maxResults: 1000 })) {
    events.push(...(page.events ?? []).map((event) => historyEventSchema.parse(event)));
  }
  return events;
}

/**
 * Says that a run failed, timed out or was aborted although every state catches: nothing ends silently. The index
 * names the run that failed, so that a resumption counts on from it; news of a run before the newest is only told.
 */
export async function reportFailure(
  parts: {
    readonly store: ObjectStore;
    readonly index: CaseIndex;
    /** Has the people of the case's circle told, from what the case file holds. */
    readonly tell: (input: TellingInput) => Promise<unknown>;
    readonly clock: Clock;
  },
  { detail }: StatusChange,
): Promise<{ status: string }> {
  const { circle, case: id, message, delivery } = inputOf(detail.input);
  const key = { circle, case: id };
  const newest = (await parts.index.find(key))?.execution ?? '';
  if (runOf(detail.name) >= runOf(newest)) {
    const reason = `RUN_${detail.status}`;
    await parts.index.note(key, { status: 'failed', reason, execution: detail.name });
  }
  // The park step may have been what failed: what the run was for is kept here then.
  const step = { ...key, execution: detail.name, reason: 'RUN_FAILED', message, delivery };
  await keepParked(parts, step);
  await parts.tell({ circle, case: id, execution: detail.name, kind: 'failed_run' });
  return { status: detail.status };
}

function inputOf(input: string | null | undefined): ExecutionInput {
  try {
    return executionInputSchema.parse(JSON.parse(input ?? ''));
  } catch (cause) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`input` of the status change is not one that a case is started with',
      {
        cause,
      },
    );
  }
}
