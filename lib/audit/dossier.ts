import type * as z from 'zod';
import { type CaseKey, layout } from '../casefile/layout.ts';
import {
  type CaseRecord,
  type ClosingRecord,
  caseRecordSchema,
  closingRecordSchema,
  type DecisionRecord,
  decisionRecordSchema,
  type OutcomeRecord,
  outcomeRecordSchema,
  type ProposalRecord,
  proposalRecordSchema,
  type TriageRecord,
  triageRecordSchema,
} from '../casefile/schemas.ts';
import type { ObjectStore, StoredObject } from '../casefile/store.ts';
import { type Intent, intentSchema } from '../effect/intent.ts';
import { attemptSchema, rejectedSchema, type Sent, sentSchema } from '../effect/letterrecord.ts';
import { type EffectReceipt, receiptSchema } from '../effect/receipt.ts';
import { isCaregateError } from '../errors.ts';
import { type Consent, consentSchema } from '../policy/consent.ts';
import type { AuditFinding } from './finding.ts';

/** What the case file holds of one action, each part read afresh and of the form of its kind. */
export interface ActionDossier {
  readonly action: number;
  readonly proposal?: ProposalRecord | undefined;
  readonly decision?: DecisionRecord | undefined;
  /** With the key that each lies at. None of them is believed yet. */
  readonly consents: readonly { readonly key: string; readonly consent: Consent }[];
  readonly intent?: Intent | undefined;
  readonly attempt?: z.infer<typeof attemptSchema> | undefined;
  readonly sent?: Sent | undefined;
  readonly rejected?: z.infer<typeof rejectedSchema> | undefined;
  readonly outcome?: OutcomeRecord | undefined;
}

/** A whole case file, read once and digested here. */
export interface Dossier {
  readonly key: CaseKey;
  readonly objects: ReadonlyMap<string, StoredObject>;
  readonly record?: CaseRecord | undefined;
  readonly triages: readonly TriageRecord[];
  readonly actions: readonly ActionDossier[];
  readonly receipts: readonly { readonly key: string; readonly receipt: EffectReceipt }[];
  readonly closings: readonly { readonly key: string; readonly closing: ClosingRecord }[];
  /** Objects that do not give their bytes, and records that do not have their form. */
  readonly unreadable: readonly AuditFinding[];
}

/** Reads every object of a case. Nothing is judged yet but the form of the records. */
export async function readDossier(store: ObjectStore, key: CaseKey): Promise<Dossier> {
  const { objects, damaged } = await readAll(store, await store.list(layout.root(key)));
  const reader = new Reader(objects);
  const all = <T>(prefix: string, schema: z.ZodType<T>): { key: string; value: T }[] =>
    reader.all(`${layout.root(key)}${prefix}`, schema);
  return {
    key,
    objects,
    record: reader.one(layout.case(key), caseRecordSchema),
    triages: all('triage/', triageRecordSchema).map(({ value }) => value),
    actions: actionsOf(reader, key),
    receipts: all('receipts/', receiptSchema).map(({ key: at, value }) => ({ key: at, receipt: value })),
    closings: all('closings/', closingRecordSchema).map(({ key: at, value }) => ({
      key: at,
      closing: value,
    })),
    unreadable: [
      ...damaged.map((at) => ({ code: 'OBJECT_DAMAGED' as const, key: at })),
      ...reader.unreadable,
    ],
  };
}

function actionsOf(reader: Reader, key: CaseKey): ActionDossier[] {
  const prefix = layout.actions(key);
  const numbers = reader.keys(prefix).map((at) => Number(at.slice(prefix.length).split('/')[0]));
  const distinct = [...new Set(numbers)].filter((number) => Number.isSafeInteger(number) && number > 0);
  return distinct
    .sort((a, b) => a - b)
    .map((action) => ({
      action,
      proposal: reader.one(layout.proposal(key, action), proposalRecordSchema),
      decision: reader.one(layout.decision(key, action), decisionRecordSchema),
      consents: reader
        .all(layout.consents(key, action), consentSchema)
        .map(({ key: at, value }) => ({ key: at, consent: value })),
      intent: reader.one(layout.intent(key, action), intentSchema),
      attempt: reader.one(layout.attempt(key, action), attemptSchema),
      sent: reader.one(layout.sent(key, action), sentSchema),
      rejected: reader.one(layout.rejected(key, action), rejectedSchema),
      outcome: reader.one(layout.outcome(key, action), outcomeRecordSchema),
    }));
}

/** Reads objects a few at a time. What vanished between the listing and the read is left out, and is missed later. */
export async function readAll(
  store: ObjectStore,
  keys: readonly string[],
): Promise<{ objects: Map<string, StoredObject>; damaged: string[] }> {
  const objects = new Map<string, StoredObject>();
  const damaged: string[] = [];
  const atOnce = 8;
  for (let from = 0; from < keys.length; from += atOnce) {
    const some = keys.slice(from, from + atOnce);
    for (const [index, object] of (await Promise.all(some.map((key) => findIntact(store, key)))).entries()) {
      if (object === 'damaged') damaged.push(some[index] ?? '');
      else if (object !== undefined) objects.set(object.key, object);
    }
  }
  return { objects, damaged };
}

/** The object, or that its bytes are not those of its checksum: for an audit that is an answer like any other. */
export async function findIntact(
  store: ObjectStore,
  key: string,
): Promise<StoredObject | 'damaged' | undefined> {
  try {
    return await store.find(key);
  } catch (error) {
    if (isCaregateError(error, 'DIGEST_MISMATCH')) return 'damaged';
    throw error;
  }
}

/** Reads records out of objects, and keeps what does not have the form of its kind. */
class Reader {
  readonly #objects: ReadonlyMap<string, StoredObject>;
  readonly unreadable: AuditFinding[] = [];

  constructor(objects: ReadonlyMap<string, StoredObject>) {
    this.#objects = objects;
  }

  keys(prefix: string): string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
  }

  one<T>(key: string, schema: z.ZodType<T>): T | undefined {
    const object = this.#objects.get(key);
    if (object === undefined) return undefined;
    const result = schema.safeParse(jsonOf(object));
    if (result.success) return result.data;
    this.unreadable.push({ code: 'RECORD_UNREADABLE', key, found: object.sha256 });
    return undefined;
  }

  all<T>(prefix: string, schema: z.ZodType<T>): { key: string; value: T }[] {
    return this.keys(prefix).flatMap((key) => {
      const value = this.one(key, schema);
      return value === undefined ? [] : [{ key, value }];
    });
  }
}

/** The JSON value of an object's bytes, or nothing that any schema takes. */
export function jsonOf(object: StoredObject): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(object.bytes));
  } catch {
    return undefined;
  }
}
