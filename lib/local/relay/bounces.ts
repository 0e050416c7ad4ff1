import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { readDeliveryStatus } from '../../mail/deliverystatus.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { createSynced, readIntact, writtenAt } from '../endpoints/durable.ts';
import { outboxHeads, type SentMail } from '../endpoints/outbox.ts';
import { headerFields } from '../pickup/topfields.ts';
import { folderOf, relayEnds } from './ends.ts';

const bounceSchema = z.strictObject({
  at: z.iso.datetime(),
  action: z.enum(['failed', 'delayed']),
  status: z.string().optional(),
});
/** What a server reported of a mail that had left. */
export type Bounce = z.infer<typeof bounceSchema>;

export interface BounceParts {
  readonly outbox: string;
  readonly clock: Clock;
  /**
   * Told of a mail that was not reported before, with the beginning of its bytes; told again where it fails, or the
   * office is ended before it is done.
   */
  readonly reported: (mail: SentMail, bounce: Bounce) => void | Promise<void>;
}

const ending = '.bounce.json';

/**
 * Looks whether a mail that came in is a report about one that left. A report is a mail like any other: only somebody who
 * saw our Message-ID can name it, which the recipient and every server on the way have. So it is shown to the household
 * and changes nothing else: nothing is sent again, and no receipt of an effect becomes another.
 */
export async function noteBounce({ outbox, clock, reported }: BounceParts, raw: Uint8Array): Promise<void> {
  if (!mayBeReport(raw)) return;
  const report = await readDeliveryStatus(raw).catch((error: unknown) => {
    if (error instanceof CaregateError) return undefined;
    throw error;
  });
  if (report === undefined) return;
  const { action, status, messageIds } = report;
  const ends = await relayEnds(outbox);
  const left = (id: string): boolean => ['taken', 'unknown'].includes(ends.get(id)?.outcome ?? '');
  for await (const mail of outboxHeads(outbox, left)) {
    if (!messageIds.includes(messageIdOf(mail) ?? '') || existsSync(fileOf(outbox, mail, action))) continue;
    const bounce = bounceSchema.parse({ at: isoTime(clock), action, ...(status ? { status } : {}) });
    await reported(mail, bounce);
    // Each kind is kept once, so that nobody fills the disk with reports.
    await createSynced(fileOf(outbox, mail, action), `${JSON.stringify(bounce)}\n`);
  }
}

/** Most mails are none, and are not read a second time for it. */
function mayBeReport(raw: Uint8Array): boolean {
  return /multipart\/report|x-failed-recipients/i.test(
    Buffer.from(raw.subarray(0, 65_536)).toString('latin1'),
  );
}

/** What was reported of each mail, by its id: that it failed, where it was late before. */
export async function bouncesOf(outbox: string): Promise<ReadonlyMap<string, Bounce>> {
  const names = await readdir(folderOf(outbox)).catch(() => []);
  const bounces = new Map<string, Bounce>();
  for (const name of names.filter((each) => each.endsWith(ending)).sort()) {
    const [id = '', action] = name.split('.');
    const path = join(folderOf(outbox), name);
    // Damaged or not, it says that there was a report.
    const bounce = (await readIntact(path, bounceSchema)) ?? {
      at: await writtenAt(path),
      action: action === 'delayed' ? action : 'failed',
    };
    if (bounces.get(id)?.action !== 'failed') bounces.set(id, bounce);
  }
  return bounces;
}

function fileOf(outbox: string, { id }: SentMail, action: Bounce['action']): string {
  return join(folderOf(outbox), `${id}.${action}${ending}`);
}

function messageIdOf({ raw }: SentMail): string | undefined {
  const field = headerFields(raw).find(({ name }) => name === 'message-id');
  return /^<[^<>\s]+>/.exec(field?.value ?? '')?.[0];
}
