import * as z from 'zod';
import { readActions } from '../casefile/actions.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord, readRecord } from '../casefile/record.ts';
import {
  type CaseRecord,
  caseRecordSchema,
  closingRecordSchema,
  parkedRecordSchema,
} from '../casefile/schemas.ts';
import { stepSchema } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError } from '../errors.ts';
import { unreadInCase } from '../evidence/unread.ts';
import type { Circle } from '../provenance/circle.ts';
import { dayIn } from '../provenance/clock.ts';
import { type Heads, headsOf } from './heads.ts';
import type { Notice, NoticeResult, Notify } from './notice.ts';
import { type NoticeKind, noticeKinds } from './noticekinds.ts';
import { ownersOf } from './owners.ts';
import { declineRecordSchema } from './record.ts';

/** What the machine has people told of: how an action ended, or how a case did. */
export const tellingKinds = [
  'refused',
  'declined',
  'expired',
  'unknown',
  'conflict',
  'not_available',
  'closed',
  'ignored',
  'deferred',
  'parked',
  'failed_run',
] as const;
export type TellingKind = (typeof tellingKinds)[number];

export const tellingInputSchema = stepSchema.extend({
  kind: z.enum(tellingKinds),
  action: z.int().positive().optional(),
});
export type TellingInput = z.infer<typeof tellingInputSchema>;

export interface TellingParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly notify: Notify;
}

type Slots = Pick<Notice, 'kind' | 'slots'>;

/** The kinds that are told under another name. */
const noticeOf: Partial<Record<TellingKind, NoticeKind>> = {
  unknown: 'unknown_delivery',
  closed: 'closing',
  ignored: 'forwarding_code',
};

/** Tells people of the circle how an action or a case ended, from what the case file holds. */
export async function tell(parts: TellingParts, input: TellingInput): Promise<NoticeResult> {
  const record = await findRecord(parts.store, layout.case(input), caseRecordSchema);
  const heads = record === undefined ? {} : await headsOf(parts.store, record);
  if (record?.judgement.reason === 'REPLY_TO_NOTICE') return tellReply(parts, record);
  const kind = noticeOf[input.kind] ?? input.kind;
  const slots = await slotsOf(parts.store, parts.circle, input, heads);
  const notice = {
    id: [input.execution, input.action ?? 'case', input.kind].join('/'),
    kind,
    circle: parts.circle,
    people: peopleFor(parts.circle, record, input.kind),
    slots: noticeKinds[kind as NoticeKind].parse(slots),
  };
  return parts.notify(notice as Notice);
}

/** Whoever replied is told once a day: a mailbox that answers every mail by itself makes no endless talk. */
function tellReply({ circle, notify }: TellingParts, record: CaseRecord): Promise<NoticeResult> {
  const person = record.judgement.sender?.id ?? '';
  const id = `reply/${person}/${dayIn(circle.timezone, Date.parse(record.openedAt))}`;
  return notify({ id, kind: 'reply', circle, people: [person], slots: { case: record.case } });
}

async function slotsOf(
  store: ObjectStore,
  circle: Circle,
  input: TellingInput,
  heads: Heads,
): Promise<Slots['slots'] | object> {
  const { subject } = heads;
  const about = { case: input.case, ...(subject === undefined ? {} : { subject }) };
  switch (input.kind) {
    case 'closed':
      return { ...about, actions: await endedActions(store, input), ...(await unreadSlots(store, input)) };
    case 'ignored':
      return { case: input.case, code: heads.forwardingCode, person: await mailboxOf(store, circle, input) };
    case 'deferred':
      return { ...about, reason: await closingReason(store, input) };
    case 'parked':
      return {
        ...about,
        reason: (await readRecord(store, layout.parked(input, input.execution), parkedRecordSchema)).reason,
      };
    case 'failed_run':
      return { ...about, reason: 'RUN_FAILED', execution: input.execution };
    default:
      return actionSlots(store, circle, input, about);
  }
}

async function actionSlots(store: ObjectStore, circle: Circle, input: TellingInput, about: object) {
  const found = (await readActions(store, input)).find(({ action }) => action === input.action);
  if (found?.proposal === undefined || found.decision === undefined) {
    throw new CaregateError(
      'NOT_FOUND',
      `action \`${input.action ?? 0}\` of case \`${input.case}\` was never decided`,
    );
  }
  const base = { ...about, tool: found.proposal.tool };
  const { reason, alert } = found.decision.decision;
  // What was allowed when it was planned can be refused when it is to be done: the ending says why.
  const ending = found.outcome?.status === 'refused' ? found.outcome.reason : reason;
  if (input.kind === 'refused') return { ...base, reason: ending, alert };
  if (input.kind !== 'declined') return base;
  const decline = await readRecord(store, layout.decline(input, found.action), declineRecordSchema);
  const person = circle.people.find(({ id }) => id === decline.person)?.name ?? decline.person;
  return { ...base, person, ...(decline.reason === undefined ? {} : { words: decline.reason }) };
}

/** Whose mailbox asks to forward here. */
async function mailboxOf(store: ObjectStore, circle: Circle, input: TellingInput): Promise<string> {
  const { judgement } = await readRecord(store, layout.case(input), caseRecordSchema);
  const person = circle.people.find(({ id }) => id === judgement.sender?.id);
  return person?.name ?? judgement.sender?.id ?? 'somebody';
}

async function closingReason(store: ObjectStore, input: TellingInput): Promise<string> {
  return (await readRecord(store, layout.closing(input, input.execution), closingRecordSchema)).reason;
}

const titledSchema = z.looseObject({
  arguments: z.record(z.string(), z.looseObject({ value: z.string().optional() })),
});

/** What nothing could read is said, so that a person looks at it. */
async function unreadSlots(store: ObjectStore, input: TellingInput) {
  const unread = await unreadInCase(store, await readActions(store, input));
  return unread.length === 0 ? {} : { unread };
}

/** Every action of a closed run with what it was about: its title or subject, which is quoted on its way out. */
async function endedActions(store: ObjectStore, input: TellingInput) {
  const { actions } = await readRecord(store, layout.closing(input, input.execution), closingRecordSchema);
  return Promise.all(
    actions.map(async ({ action, tool, status, reason }) => {
      const call = await findRecord(store, layout.call(input, action), titledSchema);
      const what = call?.arguments.title?.value ?? call?.arguments.subject?.value;
      return { tool, status, reason, ...(what === undefined ? {} : { what }) };
    }),
  );
}

/** Who is told: whoever forwarded the mail, and the owners where something went wrong or nobody forwarded it. */
function peopleFor(circle: Circle, record: CaseRecord | undefined, kind: TellingKind): string[] {
  const sender = record?.judgement.sender;
  const forwarder = sender?.list === 'people' ? [sender.id] : [];
  const owners = ownersOf(circle).map(({ id }) => id);
  if (kind === 'closed' && forwarder.length > 0) return forwarder;
  return [...new Set([...forwarder, ...owners])];
}
