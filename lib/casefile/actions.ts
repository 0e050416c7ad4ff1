import type { z } from 'zod';
import { type CaseKey, layout } from './layout.ts';
import { findRecord } from './record.ts';
import {
  type DecisionRecord,
  decisionRecordSchema,
  type OutcomeRecord,
  outcomeRecordSchema,
  type ProposalRecord,
  proposalRecordSchema,
} from './schemas.ts';
import type { ObjectReader } from './store.ts';

/** What the case file holds of one action. */
export interface ActionRecord {
  readonly action: number;
  readonly proposal?: ProposalRecord | undefined;
  readonly decision?: DecisionRecord | undefined;
  readonly outcome?: OutcomeRecord | undefined;
}

/** The numbers of all actions that were ever begun in a case, rising. */
export async function actionNumbers(store: ObjectReader, key: CaseKey): Promise<number[]> {
  const prefix = layout.actions(key);
  const numbers = (await store.list(prefix)).map((name) => Number(name.slice(prefix.length).split('/')[0]));
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Everything that was proposed in a case, in order. */
export async function readActions(store: ObjectReader, key: CaseKey): Promise<ActionRecord[]> {
  const numbers = await actionNumbers(store, key);
  return Promise.all(
    numbers.map(async (action) => {
      const find = <T>(at: string, schema: z.ZodType<T>): Promise<T | undefined> =>
        findRecord(store, at, schema);
      const [proposal, decision, outcome] = await Promise.all([
        find(layout.proposal(key, action), proposalRecordSchema),
        find(layout.decision(key, action), decisionRecordSchema),
        find(layout.outcome(key, action), outcomeRecordSchema),
      ]);
      return { action, proposal, decision, outcome };
    }),
  );
}
