import { layout } from '../casefile/layout.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { intentSchema } from '../effect/intent.ts';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';
import { caseIdPattern } from '../provenance/identifiers.ts';
import { jsonOf, readAll } from './dossier.ts';

/** The cases of a circle, and what lies in its folders of effects that no intent of theirs names. */
export interface Claims {
  readonly cases: readonly CaseId[];
  readonly unclaimed: readonly string[];
}

/**
 * Reads the claims of all cases of a circle. An intent that cannot be read claims nothing. Cases may go on meanwhile:
 * an intent is written before its effect, so what lies there is listed before the intents are.
 */
export async function readClaims(store: ObjectStore, circle: CircleId): Promise<Claims> {
  const effects = await store.list(layout.effects(circle));
  const prefix = layout.cases(circle);
  const listed = await store.list(prefix);
  const ids = listed.map((key) => key.slice(prefix.length).split('/')[0] ?? '');
  const cases = [...new Set(ids)].filter((id): id is CaseId => caseIdPattern.test(id));
  const { objects: intents } = await readAll(
    store,
    listed.filter((key) => /\/actions\/\d+\/intent\.json$/.test(key)),
  );
  const claimed = new Set<string>();
  for (const object of intents.values()) {
    const intent = intentSchema.safeParse(jsonOf(object));
    if (intent.success && object.key === layout.intent(intent.data, intent.data.action))
      claimed.add(intent.data.key);
  }
  return { cases, unclaimed: effects.filter((key) => !claimed.has(key)) };
}
