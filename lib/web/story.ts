import * as z from 'zod';
import {
  type ApprovalRecord,
  approvalRecordSchema,
  type DeclineRecord,
  declineRecordSchema,
} from '../approval/record.ts';
import { type ActionRecord, readActions } from '../casefile/actions.ts';
import { type CaseKey, layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import {
  type AnswerRecord,
  answerRecordSchema,
  type CaseRecord,
  caseRecordSchema,
  type ParkedRecord,
  parkedRecordSchema,
  type TriageRecord,
  triageRecordSchema,
} from '../casefile/schemas.ts';
import type { ObjectReader } from '../casefile/store.ts';
import { type EffectReceipt, receiptSchema } from '../effect/receipt.ts';
import type { Evidence } from '../evidence/types.ts';
import { decidedOn, type UnreadDocument, unreadDocuments } from '../evidence/unread.ts';
import { type Consent, consentSchema } from '../policy/consent.ts';

/** What the case file holds of one action, in the order in which it happened. */
export interface ActionStory extends ActionRecord {
  /** What the arguments are, in short. Attacker-controlled. */
  readonly what: readonly { readonly name: string; readonly value: string }[];
  readonly approval?: ApprovalRecord | undefined;
  readonly consents: readonly Consent[];
  readonly decline?: DeclineRecord | undefined;
  readonly answer?: AnswerRecord | undefined;
  readonly receipt?: EffectReceipt | undefined;
}

export interface CaseStory {
  readonly key: CaseKey;
  readonly opened?: CaseRecord | undefined;
  readonly triage?: TriageRecord | undefined;
  readonly actions: readonly ActionStory[];
  readonly parked: readonly ParkedRecord[];
  /** What nothing could read. Its names are attacker-controlled. */
  readonly unread: readonly UnreadDocument[];
  /** Which model answered for each stage, as the records have it: one that stood in is named, and not the one it stood in for. */
  readonly readers: readonly StageReaders[];
}

export interface StageReaders {
  readonly stage: 'category' | 'facts' | 'proposals';
  /** Each once. */
  readonly models: readonly string[];
}

/** Reads the story of a case from its case file. Nothing is written, and nothing is asked of anyone. */
export async function readStory(store: ObjectReader, key: CaseKey): Promise<CaseStory> {
  const opened = await findRecord(store, layout.case(key), caseRecordSchema);
  if (opened === undefined) return { key, actions: [], parked: [], unread: [], readers: [] };
  const [triage, actions, receipts, parked] = await Promise.all([
    latest(store, `${layout.root(key)}triage/`, triageRecordSchema),
    readActions(store, key),
    all(store, layout.receipts(key), receiptSchema),
    all(store, `${layout.root(key)}parked/`, parkedRecordSchema),
  ]);
  const stories = actions.map((action) => storyOf(store, key, action, receipts));
  const evidence = await decidedOn(store, actions);
  const unread = unreadDocuments(evidence?.documents ?? []);
  const readers = readersOf(triage, evidence?.recording, actions);
  return { key, opened, triage, actions: await Promise.all(stories), parked, unread, readers };
}

function readersOf(
  triage: TriageRecord | undefined,
  recording: Evidence['recording'],
  actions: readonly ActionRecord[],
): StageReaders[] {
  const facts = recording?.failure === undefined ? recording?.model : undefined;
  const models = {
    category: [triage?.model],
    facts: [facts],
    proposals: actions.map(({ proposal }) => proposal?.model),
  };
  return (['category', 'facts', 'proposals'] as const).flatMap((stage) => {
    const named = [...new Set(models[stage].filter((model) => model !== undefined))];
    return named.length === 0 ? [] : [{ stage, models: named }];
  });
}

async function storyOf(
  store: ObjectReader,
  key: CaseKey,
  record: ActionRecord,
  receipts: readonly EffectReceipt[],
): Promise<ActionStory> {
  const { action } = record;
  const [call, approval, consents, decline, answer] = await Promise.all([
    findRecord(store, layout.call(key, action), callSchema),
    findRecord(store, layout.approval(key, action), approvalRecordSchema),
    all(store, layout.consents(key, action), consentSchema),
    findRecord(store, layout.decline(key, action), declineRecordSchema),
    findRecord(store, layout.answer(key, action), answerRecordSchema),
  ]);
  const receipt = receipts.findLast((known) => known.action === action);
  return { ...record, what: whatOf(call), approval, consents, decline, answer, receipt };
}

/** A call as it was recorded. Only what is shown of it is asked for. */
const callSchema = z.looseObject({
  arguments: z.record(
    z.string(),
    z.looseObject({
      value: z.string().optional(),
      literal: z.string().optional(),
      role: z.string().optional(),
      entry: z.looseObject({ name: z.string() }).optional(),
      documents: z.array(z.looseObject({ name: z.string() })).optional(),
    }),
  ),
});

function whatOf(call: z.infer<typeof callSchema> | undefined): ActionStory['what'] {
  return Object.entries(call?.arguments ?? {}).map(([name, argument]) => {
    const { value, literal, role, entry, documents } = argument;
    const names = documents?.map((document) => document.name).join(', ');
    return { name, value: value ?? entry?.name ?? names ?? role ?? literal ?? '' };
  });
}

async function all<T>(store: ObjectReader, prefix: string, schema: z.ZodType<T>): Promise<T[]> {
  const found = await Promise.all((await store.list(prefix)).map((key) => findRecord(store, key, schema)));
  return found.filter((record) => record !== undefined);
}

async function latest<T>(store: ObjectReader, prefix: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const key = (await store.list(prefix)).at(-1);
  return key === undefined ? undefined : findRecord(store, key, schema);
}
