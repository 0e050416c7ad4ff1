import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { pointerSchema } from '../casefile/schemas.ts';
import { jsonOf } from './dossier.ts';
import type { Examination } from './examination.ts';
import { type HistoryEvent, historySchema, pointersIn, valuesIn } from './history.ts';

/** What a history shows of a decision. */
const gatedSchema = z.looseObject({
  action: z.int().positive(),
  tool: z.string(),
  outcome: z.string(),
  reason: z.string(),
  callDigest: z.string(),
  decision: pointerSchema,
});

/**
 * The execution history and the case file agree: it is the history of this case, every pointer in it names an object
 * with that digest, and every decision in it is the recorded one. Histories that the case file keeps are read too.
 */
export async function checkHistory(examination: Examination): Promise<void> {
  const events = [...(examination.parts.history ?? []), ...keptHistories(examination)];
  for (const pointer of pointersIn(events)) {
    const object = await examination.object(pointer.key);
    // The inbox is another bucket, so what was received is checked by the copy in the case file.
    if (object?.sha256 === pointer.sha256) continue;
    examination.found('HISTORY_MISMATCH', pointer.key, { expected: pointer.sha256, found: object?.sha256 });
  }
  for (const value of valuesIn(events)) {
    const started = inputOf(value);
    if (started !== undefined && started !== examination.dossier.key.case) {
      examination.found('HISTORY_MISMATCH', layout.case(examination.dossier.key));
    }
    const gated = gatedSchema.safeParse(value);
    if (gated.success) checkGated(examination, gated.data);
  }
}

function keptHistories(examination: Examination): HistoryEvent[] {
  const { key, objects } = examination.dossier;
  const kept: HistoryEvent[] = [];
  for (const object of objects.values()) {
    if (!object.key.startsWith(`${layout.root(key)}history/`)) continue;
    const history = historySchema.safeParse(jsonOf(object));
    if (history.success) kept.push(...history.data);
    else examination.found('RECORD_UNREADABLE', object.key, { found: object.sha256 });
  }
  return kept;
}

/** The case that an execution was started for, if the value is the event of its start. */
function inputOf(value: unknown): string | undefined {
  const event = z
    .looseObject({ executionStartedEventDetails: z.looseObject({ input: z.string() }) })
    .safeParse(value);
  if (!event.success) return undefined;
  const [input] = valuesIn(event.data.executionStartedEventDetails.input);
  const named = z.looseObject({ case: z.string() }).safeParse(input);
  return named.success ? named.data.case : undefined;
}

function checkGated(examination: Examination, gated: z.infer<typeof gatedSchema>): void {
  const { key, actions } = examination.dossier;
  const recorded = actions.find(({ action }) => action === gated.action);
  const decision = recorded?.decision?.decision;
  const same =
    decision !== undefined &&
    decision.outcome === gated.outcome &&
    decision.reason === gated.reason &&
    decision.callDigest === gated.callDigest &&
    recorded?.proposal?.tool === gated.tool &&
    gated.decision.key === layout.decision(key, gated.action);
  if (!same)
    examination.found('HISTORY_MISMATCH', layout.decision(key, gated.action), { action: gated.action });
}
