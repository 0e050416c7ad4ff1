import { layout } from '../casefile/layout.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { intentSchema } from '../effect/intent.ts';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';
import { caseIdPattern } from '../provenance/identifiers.ts';
import { jsonOf, readAll } from './dossier.ts';

/** The cases of a circle, and every key that an intent of theirs names: what may lie in its folders of effects. */
export interface Claims {
  readonly cases: readonly CaseId[];
  readonly keys: ReadonlySet<string>;
}

/** Reads the claims of all cases of a circle. An intent that cannot be read claims nothing. */
export async function readClaims(store: ObjectStore, circle: CircleId): Promise<Claims> {
  const prefix = layout.cases(circle);
  const listed = await store.list(prefix);
  const ids = listed.map((key) => key.slice(prefix.length).split('/')[0] ?? '');
  const cases = [...new Set(ids)].filter((id): id is CaseId => caseIdPattern.test(id));
  const { objects: intents } = await readAll(
    store,
    listed.filter((key) => /\/actions\/\d+\/intent\.json$/.test(key)),
  );
  const keys = new Set<string>();
  for (const object of intents.values()) {
    const intent = intentSchema.safeParse(jsonOf(object));
    if (intent.success && object.key === layout.intent(intent.data, intent.data.action))
      keys.add(intent.data.key);
  }
  return { cases, keys };
}

/** The keys in a circle's folders of effects that no intent of any case names. */
export async function unclaimedEffects(
  store: ObjectStore,
  circle: CircleId,
  claimed: ReadonlySet<string>,
): Promise<string[]> {
  return (await store.list(layout.effects(circle))).filter((key) => !claimed.has(key));
}
