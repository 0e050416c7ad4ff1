import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../endpoints/durable.ts';

/** Lies in an outbox that came out of a backup, until a person says that its letters may leave. */
export const restoredFile = (outbox: string): string => join(outbox, 'restored.json');

/** Whether letters wait because of a restore: what left after the backup was made is not known here. */
export function isHeld(outbox: string): boolean {
  return existsSync(restoredFile(outbox));
}

/** Lets letters leave again. @returns whether they were held */
export async function releaseHold(outbox: string): Promise<boolean> {
  const held = isHeld(outbox);
  await rm(restoredFile(outbox), { force: true });
  if (held) await syncDirectory(outbox);
  return held;
}
