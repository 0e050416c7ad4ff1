import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CaregateError } from '../../errors.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { syncDirectory } from '../endpoints/durable.ts';
import { isNotice, listOutbox } from '../endpoints/outbox.ts';
import { keepEnd } from './ends.ts';

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

/**
 * Ends a letter that is held after a restore without sending it: a person found out, or rather asks its recipient than
 * have it arrive twice. Nobody else ends it meanwhile, since the relay leaves held letters alone.
 * @throws CaregateError `NOT_FOUND` for an id that is no letter of this outbox, or `INVALID_INPUT` for one that is not held
 */
export async function neverSend(outbox: string, id: string, clock: Clock): Promise<void> {
  const {
    mails: [mail],
  } = await listOutbox(outbox, (each) => each === id);
  if (mail === undefined || isNotice(mail)) {
    throw new CaregateError(
      'NOT_FOUND',
      `letter \`${id}\` is not in the outbox; \`caregate outbox --json\` lists their ids`,
    );
  }
  if (isHeld(outbox) && (await keepEnd(outbox, id, { outcome: 'unknown', at: isoTime(clock) }))) return;
  throw new CaregateError(
    'INVALID_INPUT',
    `letter \`${id}\` is not held: it has left, or nothing keeps it; see \`caregate outbox\``,
  );
}
