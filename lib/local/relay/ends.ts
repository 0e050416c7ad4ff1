import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createSynced, readIntact, writtenAt } from '../endpoints/durable.ts';

const at = z.iso.datetime();
/** How a mail's way out ended. */
export const relayEndSchema = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('taken'), at }),
  z.strictObject({ outcome: z.literal('refused'), at, code: z.int() }),
  /** It may have left. A letter is never sent again; a person finds out. */
  z.strictObject({ outcome: z.literal('unknown'), at }),
]);
export type RelayEnd = z.infer<typeof relayEndSchema>;

const ending = '.end.json';

/** Where it is written down how each mail of an outbox left. */
export const folderOf = (outbox: string): string => join(outbox, 'relay');
/** Says that a mail is about to be handed over. */
export const attemptFile = (outbox: string, id: string): string =>
  join(folderOf(outbox), `${id}.attempt.json`);

/** Writes down how a mail ended, for good. @returns whether it had no end before */
export function keepEnd(outbox: string, id: string, end: RelayEnd): Promise<boolean> {
  return createSynced(join(folderOf(outbox), `${id}${ending}`), `${JSON.stringify(end)}\n`);
}

/** The ids of the mails that have left, or never will. */
export async function endedIds(outbox: string): Promise<ReadonlySet<string>> {
  return new Set((await endFiles(outbox)).map((name) => name.slice(0, -ending.length)));
}

/** How each mail that has left, or never will, ended: by its id. */
export async function relayEnds(outbox: string): Promise<ReadonlyMap<string, RelayEnd>> {
  const ends = await Promise.all(
    (await endFiles(outbox)).map(async (name): Promise<[string, RelayEnd]> => {
      return [name.slice(0, -ending.length), await readEnd(join(folderOf(outbox), name))];
    }),
  );
  return new Map(ends);
}

/** The mails that the provider refused for good since a time, in milliseconds of the epoch, by their ids. */
export async function refusedSince(
  outbox: string,
  since: number,
): Promise<ReadonlyMap<string, { readonly at: number; readonly code: number }>> {
  const refused = [...(await relayEnds(outbox))].flatMap(([id, end]) =>
    end.outcome === 'refused' ? [[id, { at: Date.parse(end.at), code: end.code }] as const] : [],
  );
  return new Map(refused.filter(([, { at }]) => at >= since));
}

async function endFiles(outbox: string): Promise<string[]> {
  const names = await readdir(folderOf(outbox)).catch(() => []);
  return names.filter((name) => name.endsWith(ending));
}

/** The mail ended, since this was written; how, nobody can read any longer where it is damaged. */
async function readEnd(path: string): Promise<RelayEnd> {
  return (await readIntact(path, relayEndSchema)) ?? { outcome: 'unknown', at: await writtenAt(path) };
}
