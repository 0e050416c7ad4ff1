import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import { type EntryList, isTrustedEntry, type TrustedEntry } from '../provenance/circle.ts';
import type { Sha256 } from '../provenance/digest.ts';

/** The text of a VALUE. Attacker-controlled, whatever its trust: trust is about where it comes from. */
export function textArgument(call: Call, name: string): string {
  const text = optionalText(call, name);
  if (text === undefined) throw unresolved(call, name);
  return text;
}

export function optionalText(call: Call, name: string): string | undefined {
  const argument = call.arguments[name];
  if (argument === undefined) return undefined;
  if (!('value' in argument)) throw unresolved(call, name);
  return argument.value;
}

/** The documents of an argument; none where it was left out. Their names are attacker-controlled. */
export function documentsArgument(call: Call, name: string): readonly { digest: Sha256; name: string }[] {
  const argument = call.arguments[name];
  if (argument === undefined) return [];
  if (!('documents' in argument)) throw unresolved(call, name);
  return argument.documents;
}

/** The one document of an argument. */
export function documentArgument(call: Call, name: string): { digest: Sha256; name: string } {
  const [document, ...others] = documentsArgument(call, name);
  if (document === undefined || others.length > 0) throw unresolved(call, name);
  return document;
}

/**
 * Where the effect lands. The gate has denied everything else already; this is the last place that can.
 * @throws CaregateError `CALL_UNRESOLVED` unless it is an entry of that list which came out of the circle itself
 */
export function entryArgument(call: Call, name: string, list: EntryList): TrustedEntry {
  const argument = call.arguments[name];
  if (argument === undefined || !('entry' in argument)) throw unresolved(call, name);
  const { entry } = argument;
  if (!isTrustedEntry(entry) || entry.list !== list) throw unresolved(call, name);
  return entry;
}

/** Text for one line of a heading, a key or a calendar: control characters become blanks, blanks collapse. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

function unresolved(call: Call, name: string): CaregateError {
  return new CaregateError(
    'CALL_UNRESOLVED',
    `argument \`${name}\` of \`${call.tool}\` cannot be used for an effect; resolve the proposal again`,
  );
}
