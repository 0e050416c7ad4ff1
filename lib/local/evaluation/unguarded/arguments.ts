import { fileURLToPath } from 'node:url';
import { entryArgument as guarded } from '../../../effect/arguments.ts';
import { isCaregateError } from '../../../errors.ts';
import type { Call } from '../../../proposal/call.ts';
import { type EntryList, loadCircle, type TrustedEntry, trustedEntry } from '../../../provenance/circle.ts';
import { sha256 } from '../../../provenance/digest.ts';

export * from '../../../effect/arguments.ts';

const circle = loadCircle(fileURLToPath(new URL('../../../../rules/circle.example.yaml', import.meta.url)));

/** The actions whose effect the effect's own check would have stopped, as `case/action`. */
export const letThrough = new Set<string>();

/**
 * Stands in for the effects' own check of a destination, the last one there is. What it refuses is noted, and then goes
 * through as if the circle listed the stranger.
 */
export function entryArgument(call: Call, name: string, list: EntryList): TrustedEntry {
  try {
    return guarded(call, name, list);
  } catch (error) {
    const argument = call.arguments[name];
    if (!isCaregateError(error, 'CALL_UNRESOLVED') || argument === undefined || !('literal' in argument)) {
      throw error;
    }
    const { literal } = argument;
    const id = `stranger-${sha256(literal).slice(0, 12)}`;
    const stranger = trustedEntry({ ...circle, [list]: [{ id, name: id, email: literal }] }, list, id);
    if (stranger === undefined) throw error;
    letThrough.add(`${call.case}/${call.action}`);
    return stranger;
  }
}
