import * as z from 'zod';
import { actionNumbers } from '../casefile/actions.ts';
import type { CaseIndex } from '../casefile/caseindex.ts';
import { type CaseKey, layout } from '../casefile/layout.ts';
import { findRecord, readRecord, writeRecord } from '../casefile/record.ts';
import {
  type CaseRecord,
  caseRecordSchema,
  pointerSchema,
  releaseRecordSchema,
} from '../casefile/schemas.ts';
import { stepSchema } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, dayIn, isoTime } from '../provenance/clock.ts';
import { type Delivery, deliverySchema } from './delivery.ts';
import { parseMessage } from './message.ts';
import { judge } from './sender.ts';
import { isAdmitted, type Judgement } from './standing.ts';
import { messageIdOf } from './trace.ts';

export const dispatchInputSchema = stepSchema.extend({
  message: z.string(),
  delivery: pointerSchema,
  run: z.int().nonnegative(),
});
export type DispatchInput = z.infer<typeof dispatchInputSchema>;

export interface DispatchParts {
  readonly store: ObjectStore;
  readonly inbox: ObjectStore;
  readonly index: CaseIndex;
  readonly circle: Circle;
  readonly clock: Clock;
  /** How many approvals and questions wait for people of the circle. */
  readonly openRequests: () => Promise<number>;
}

/** Rounds of planning that one run of a case may have; the next run counts on from here. */
const roundsPerRun = 10;

/** Judges a mail's bytes. What cannot be read as a mail is quarantined, never dropped. */
export async function judgeBytes(
  bytes: Uint8Array,
  delivery: Delivery,
  circle: Circle,
): Promise<{ judgement: Judgement; admitted: boolean }> {
  const judgement = await judgeReadable(bytes, delivery, circle);
  return { judgement, admitted: isAdmitted(judgement.standing) };
}

async function judgeReadable(bytes: Uint8Array, delivery: Delivery, circle: Circle): Promise<Judgement> {
  if (delivery.verdicts.virus === 'FAIL') return { standing: 'quarantined', reason: 'VIRUS_FOUND' };
  try {
    return judge(await parseMessage(bytes), delivery, circle);
  } catch (error) {
    if (!isCaregateError(error, 'MAIL_UNREADABLE') && !isCaregateError(error, 'MAIL_TOO_LARGE')) throw error;
    return { standing: 'quarantined', reason: 'NOT_A_MAIL' };
  }
}

/**
 * Makes the case of a mail before any model is called, once for ever: a second delivery of the same message finds
 * the case there and ends. Returns what the machine needs to go on: ids, codes and limits.
 * @throws CaregateError `DIGEST_MISMATCH` if the bytes are not the message that the execution was started for
 */
export async function dispatch(parts: DispatchParts, input: DispatchInput) {
  const { store, circle } = parts;
  const delivery = await readRecord(store, input.delivery, deliverySchema);
  const bytes = (await parts.inbox.read(delivery.mail.key)).bytes;
  if (messageIdOf(bytes) !== input.message) {
    throw new CaregateError(
      'DIGEST_MISMATCH',
      `mail of case \`${input.case}\` is not the one that was received`,
    );
  }
  const key: CaseKey = { circle: input.circle, case: input.case };
  const record =
    (await findRecord(store, layout.case(key), caseRecordSchema)) ??
    (await open(parts, input, delivery, bytes));
  const duplicate = input.run === 0 && record.delivery.sha256 !== input.delivery.sha256;
  const { standing, reason } = duplicate
    ? { standing: 'duplicate', reason: record.judgement.reason }
    : await capped(parts, record, input.run);
  if (!duplicate) {
    await parts.index.note(key, {
      status: 'open',
      reason,
      openedAt: record.openedAt,
      execution: input.execution,
    });
  }
  return {
    standing,
    reason,
    round: input.run * roundsPerRun + 1,
    nextAction: ((await actionNumbers(store, key)).at(-1) ?? 0) + 1,
    approvalSeconds: circle.limits.approvalHours * 3600,
    modelCalls: circle.limits.modelCallsPerMail,
    mostActions: circle.limits.actionsPerMail,
  };
}

async function open(
  parts: DispatchParts,
  input: DispatchInput,
  delivery: Delivery,
  bytes: Uint8Array,
): Promise<CaseRecord> {
  const key: CaseKey = { circle: input.circle, case: input.case };
  const judgement = await judgementOf(parts, input, delivery, bytes);
  const mail = await parts.store.create(layout.mail(key), bytes, { contentType: 'message/rfc822' });
  const record: CaseRecord = {
    case: input.case,
    circle: input.circle,
    message: messageIdOf(bytes),
    delivery: input.delivery,
    mail: { key: layout.mail(key), sha256: mail.sha256 },
    judgement,
    openedAt: isoTime(parts.clock),
  };
  try {
    await writeRecord(parts.store, layout.case(key), record);
    return record;
  } catch (error) {
    if (!isCaregateError(error, 'CREATE_CONFLICT')) throw error;
    return readRecord(parts.store, layout.case(key), caseRecordSchema);
  }
}

/** What the bytes and the verdicts say, or that a person released this very message from quarantine. */
async function judgementOf(
  parts: DispatchParts,
  input: DispatchInput,
  delivery: Delivery,
  bytes: Uint8Array,
): Promise<Judgement> {
  const { judgement, admitted } = await judgeBytes(bytes, delivery, parts.circle);
  const expected = input.case.startsWith('c-');
  if (admitted === expected) return judgement;
  const key: CaseKey = { circle: input.circle, case: input.case };
  const released = await findRecord(parts.store, layout.release(key), releaseRecordSchema);
  if (!expected || released === undefined) return { standing: 'quarantined', reason: 'SENDER_UNVERIFIED' };
  return { standing: 'accepted', reason: 'RELEASED_BY_PERSON' };
}

/**
 * The standing after the caps of the circle, which only a case that was admitted can reach. A run that a person or
 * the sweep began is not capped again.
 */
async function capped(
  { index, clock, circle, openRequests }: DispatchParts,
  { judgement, case: id }: CaseRecord,
  run: number,
): Promise<Pick<Judgement, 'standing' | 'reason'>> {
  const { standing, reason } = judgement;
  if (!isAdmitted(standing) || run > 0) return { standing, reason };
  const { mailsPerDay, openApprovals } = circle.limits;
  const today = dayIn(circle.timezone, clock.now());
  const opened = (await index.list(circle.id)).filter(
    ({ openedAt, case: other }) =>
      other.startsWith('c-') && other !== id && dayIn(circle.timezone, Date.parse(openedAt)) === today,
  );
  if (opened.length >= mailsPerDay) return { standing: 'deferred', reason: 'DAILY_CAP_REACHED' };
  if ((await openRequests()) >= openApprovals)
    return { standing: 'deferred', reason: 'APPROVALS_CAP_REACHED' };
  return { standing, reason };
}
