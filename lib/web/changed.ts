import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { entryLists } from '../provenance/circle.ts';
import type { PageDeps } from './deps.ts';
import type { Opened } from './opened.ts';

const callSchema = z.looseObject({
  arguments: z.record(
    z.string(),
    z.looseObject({
      entry: z
        .looseObject({ list: z.enum(entryLists), id: z.string(), email: z.string().optional() })
        .optional(),
    }),
  ),
});

/**
 * Whether an entry that a call names is no longer in the circle as it was when it was asked about. It would not be done
 * then, whoever approves it; so nobody is asked to.
 */
export async function isChanged(deps: PageDeps, { view, circle }: Opened): Promise<boolean> {
  if (view.kind !== 'approval') return false;
  const call = await findRecord(deps.store, layout.call(view, view.action), callSchema);
  const entries = Object.values(call?.arguments ?? {}).flatMap(({ entry }) => entry ?? []);
  return entries.some(({ list, id, email }) => {
    const now: { id: string; email?: string } | undefined = circle[list].find((known) => known.id === id);
    return now === undefined || now.email !== email;
  });
}
