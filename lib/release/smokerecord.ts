import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import type { ObjectReader } from '../casefile/store.ts';

/** How a smoke test of a release ended. Its mails are invented, and none of their text is in it. */
export const smokeRecordSchema = z.strictObject({
  version: z.literal(1),
  commit: z.string(),
  at: z.iso.datetime(),
  passed: z.boolean(),
  mails: z.array(
    z.strictObject({
      name: z.string(),
      status: z.string(),
      reason: z.string(),
      actions: z.array(z.strictObject({ tool: z.string(), decision: z.string(), status: z.string() })),
      audit: z.enum(['consistent', 'inconsistent']),
    }),
  ),
  /** What did not hold, in our words. */
  failures: z.array(z.string()),
});
export type SmokeRecord = z.infer<typeof smokeRecordSchema>;

/** A commit as it may stand in a key. */
const commitPattern = /^[0-9a-z]{1,64}$/;

/** The newest record for a commit, or nothing where it was not tested. */
export async function newestSmoke(store: ObjectReader, commit: string): Promise<SmokeRecord | undefined> {
  if (!commitPattern.test(commit)) return undefined;
  const key = (await store.list(layout.smokes(commit))).sort().at(-1);
  const found = key === undefined ? undefined : await store.find(key);
  return found === undefined
    ? undefined
    : smokeRecordSchema.parse(JSON.parse(new TextDecoder().decode(found.bytes)));
}

/** The key of a run: by its time, so that the newest is the last. */
export function smokeKey({ commit, at }: Pick<SmokeRecord, 'commit' | 'at'>): string {
  return layout.smoke(commit, at.replace(/[-:.]/g, ''));
}
