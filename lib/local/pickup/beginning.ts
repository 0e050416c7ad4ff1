import type { Cursor } from './cursor.ts';
import type { Mailbox } from './mailbox.ts';
import type { PickupSettings } from './settings.ts';

export interface BeginningOptions {
  readonly settings: Pick<PickupSettings, 'since'>;
  readonly log: (line: string) => void;
}

type LookedInto = Pick<Mailbox, 'uidValidity' | 'uidNext' | 'list' | 'before'>;

/**
 * Sees to it that the cursor's UIDs mean this mailbox: at the first start, where what lies there is noted as far as it is
 * not for us, and after the server numbered its mails anew, when all of them are looked at once more.
 */
export async function settleCursor(
  cursor: Cursor,
  mailbox: LookedInto,
  { settings: { since }, log }: BeginningOptions,
): Promise<void> {
  const { uidNext, uidValidity } = mailbox;
  if (!cursor.begun(typeof since === 'string' ? since : since.day)) {
    await begin(cursor, mailbox, since);
  } else if (!cursor.isFor(uidValidity)) {
    log('pick-up: the mailbox was numbered anew; all of it is looked through');
    await cursor.renumber(uidValidity, (uidNext ?? Number.MAX_SAFE_INTEGER) - 1);
  }
  if (cursor.large.length === 0) return;
  const there = await mailbox.list(cursor.large.join(','));
  cursor.retainLarge(there.map(({ uid }) => uid));
}

async function begin(cursor: Cursor, mailbox: LookedInto, since: PickupSettings['since']): Promise<void> {
  const { uidNext, uidValidity } = mailbox;
  if (since === 'all') return cursor.begin(uidValidity, since, { seen: 0, last: 0, before: [] });
  const listed = await mailbox.list('1:*');
  const last = uidNext === undefined ? (listed.at(-1)?.uid ?? 0) : uidNext - 1;
  const all = listed.filter(({ uid }) => uid <= last);
  if (since === 'now') {
    const { waitingSince = '' } = cursor;
    const before = waitingSince === '' ? all : all.filter(({ received }) => received < waitingSince);
    const seen = before.length === all.length ? last : 0;
    return cursor.begin(uidValidity, since, { seen, last, before });
  }
  const earlier = new Set(await mailbox.before(since.day));
  const before = all.filter(({ uid }) => earlier.has(uid));
  return cursor.begin(uidValidity, since.day, { seen: 0, last, before });
}
