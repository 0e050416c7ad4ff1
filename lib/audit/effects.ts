import { layout } from '../casefile/layout.ts';
import type { Intent } from '../effect/intent.ts';
import type { Call } from '../proposal/call.ts';
import { readClaims } from './claims.ts';
import type { ActionDossier } from './dossier.ts';
import type { Examination } from './examination.ts';

/** Every intent is the one that its call leads to, and what lies at its key has the bytes that were intended. */
export async function checkIntents(examination: Examination): Promise<void> {
  for (const action of examination.dossier.actions) {
    const { intent } = action;
    if (intent === undefined) continue;
    const at = layout.intent(examination.dossier.key, action.action);
    const call = examination.calls.get(action.action);
    if (!isOfAction(examination, action, intent) || (call !== undefined && !isPlaceOf(call, intent))) {
      examination.found('INTENT_MISMATCH', at, { action: action.action });
    }
    const object = await examination.object(intent.key);
    const inConflict = action.outcome?.status === 'conflict';
    if (object === undefined) {
      if (isClaimedDone(action)) examination.found('EFFECT_MISSING', intent.key, { action: action.action });
    } else if (object.sha256 !== intent.sha256 && !inConflict) {
      const about = { action: action.action, expected: intent.sha256, found: object.sha256 };
      examination.found('EFFECT_ALTERED', intent.key, about);
    }
  }
}

function isOfAction({ dossier }: Examination, { action, decision }: ActionDossier, intent: Intent): boolean {
  const { key } = dossier;
  return (
    intent.case === key.case &&
    intent.circle === key.circle &&
    intent.action === action &&
    intent.callDigest === decision?.decision.callDigest
  );
}

/** Whether an intent is for the tool of a call, and for the place where the call's destination lies. */
function isPlaceOf(call: Call, { tool, key, sha256 }: Intent): boolean {
  if (tool !== call.tool) return false;
  switch (tool) {
    case 'file_document':
      return (
        isDirectlyUnder(key, layout.folder(call.circle, entryId(call, 'folder'))) && isDocument(call, sha256)
      );
    case 'add_appointment':
      return isDirectlyUnder(key, layout.calendar(call.circle, entryId(call, 'calendar')));
    case 'send_email':
      return key === layout.letter(call, call.action);
    default:
      return false;
  }
}

function isDirectlyUnder(key: string, prefix: string): boolean {
  return key.startsWith(prefix) && !key.slice(prefix.length).includes('/');
}

function isDocument(call: Call, sha256: string): boolean {
  const argument = call.arguments.document;
  return (
    argument !== undefined &&
    'documents' in argument &&
    argument.documents.every(({ digest }) => digest === sha256)
  );
}

/** The entry's id, or a name that no entry has. */
function entryId(call: Call, name: string): string {
  const argument = call.arguments[name];
  return argument !== undefined && 'entry' in argument ? argument.entry.id : '/';
}

function isClaimedDone({ outcome, sent }: ActionDossier): boolean {
  return outcome?.status === 'verified' || outcome?.status === 'sent' || sent !== undefined;
}

/** How a letter was sent belongs to the letter that was intended, and is told in the order in which it happens. */
export function checkLetters(examination: Examination): void {
  for (const { action, intent, attempt, sent, rejected } of examination.dossier.actions) {
    const records = [attempt, sent, rejected].filter((record) => record !== undefined);
    if (records.length === 0) continue;
    const strays = records.some(
      (record) =>
        record.attempt !== intent?.attempt || ('sha256' in record && record.sha256 !== intent.sha256),
    );
    const unannounced = attempt === undefined || intent?.tool !== 'send_email';
    if (strays || unannounced || (sent !== undefined && rejected !== undefined)) {
      examination.found('LETTER_MISMATCH', layout.attempt(examination.dossier.key, action), { action });
    }
  }
}

/** Nothing else lies in the circle's folders of effects. */
export async function checkFolders(examination: Examination): Promise<void> {
  const { store, caseKey, folders } = examination.parts;
  if (folders === 'elsewhere') return;
  const { unclaimed } = await readClaims(store, caseKey.circle);
  for (const key of unclaimed) {
    examination.found('EFFECT_UNCLAIMED', key);
  }
}

/** Every object of the case, and every effect of it, has exactly one version and was never deleted. */
export async function checkVersions(examination: Examination): Promise<void> {
  const { store, caseKey } = examination.parts;
  const effects = examination.dossier.actions.flatMap(({ intent }) => intent?.key ?? []);
  const seen = new Set<string>();
  for (const prefix of [layout.root(caseKey), ...effects]) {
    for (const { key, deleted } of await store.versions(prefix)) {
      if (key !== prefix && effects.includes(prefix)) continue;
      if (deleted || seen.has(key)) examination.found('OBJECT_OVERWRITTEN', key);
      seen.add(key);
    }
  }
}
