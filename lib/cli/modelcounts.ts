import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import type { CaseSource } from './casereport.ts';

/** How often a model answered for a stage, as the records of the cases have it. */
export interface ModelCount {
  readonly stage: 'triage' | 'evidence' | 'plan';
  readonly model: string;
  /** Answers that were taken. */
  readonly answers: number;
  /** Times that it was asked and gave none that could be taken. */
  readonly failures: number;
}

const answeredSchema = z.looseObject({ model: z.string().optional(), failure: z.string().optional() });
/** Of each record only this is looked at: evidence says it of the facts that a model added. */
const recordSchema = answeredSchema.extend({ recording: answeredSchema.optional() });
type Answered = { readonly model: string; readonly failure: string | undefined };

const places = [
  { stage: 'triage', at: /\/triage\/\d+\.json$/ },
  { stage: 'evidence', at: /\/evidence\/\d+\.json$/ },
  { stage: 'plan', at: /\/actions\/\d+\/proposal\.json$/ },
] as const;

/** Counts the answers of the newest cases by stage and model, stages in the order in which they are asked. */
export async function countModels(
  { circle, store, index }: Pick<CaseSource, 'circle' | 'store' | 'index'>,
  most = 200,
): Promise<ModelCount[]> {
  const counts = new Map<string, ModelCount>();
  for (const { case: id } of (await index.list(circle)).slice(0, most)) {
    for (const key of await store.list(layout.root({ circle, case: id }))) {
      const place = places.find(({ at }) => at.test(key));
      const found = place === undefined ? undefined : await answererOf(store, key);
      if (place === undefined || found === undefined) continue;
      const name = `${place.stage} ${found.model}`;
      const known = counts.get(name) ?? { stage: place.stage, model: found.model, answers: 0, failures: 0 };
      const counted = found.failure === undefined ? 'answers' : 'failures';
      counts.set(name, { ...known, [counted]: known[counted] + 1 });
    }
  }
  const order = places.map(({ stage }) => stage);
  return [...counts.values()].sort((a, b) => order.indexOf(a.stage) - order.indexOf(b.stage));
}

async function answererOf(store: CaseSource['store'], key: string): Promise<Answered | undefined> {
  const record = await findRecord(store, key, recordSchema);
  const { model, failure } = record?.recording ?? record ?? {};
  return model === undefined ? undefined : { model, failure };
}

/** The counts in one line: `triage: qwen 12, offline-reader 1; plan: …`. */
export function modelCountsLine(counts: readonly ModelCount[]): string {
  const stages = [...new Set(counts.map(({ stage }) => stage))];
  return stages
    .map((stage) => {
      const parts = counts
        .filter((count) => count.stage === stage)
        .map(
          ({ model, answers, failures }) =>
            `${model} ${answers}${failures > 0 ? ` (${failures} without an answer)` : ''}`,
        );
      return `${stage}: ${parts.join(', ')}`;
    })
    .join('; ');
}
