import type { CaseEntry, CaseIndex } from '../casefile/caseindex.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord, writeRecord } from '../casefile/record.ts';
import { workOnEach } from '../casefile/rounds.ts';
import { caseRecordSchema, type SummaryRecord, summaryRecordSchema } from '../casefile/schemas.ts';
import { isCaregateError } from '../errors.ts';
import type { Circle, Person } from '../provenance/circle.ts';
import { dayIn, isoTime } from '../provenance/clock.ts';
import { codeHash, newCode } from './code.ts';
import { type ApprovalEntry, statusAt } from './entry.ts';
import { type Heads, headsOf } from './heads.ts';
import { linkUrl } from './link.ts';
import type { Notify } from './notice.ts';
import type { NoticeSlots } from './noticekinds.ts';
import { ownersOf } from './owners.ts';
import { type HeldMail, type ReleaseParts, requestRelease } from './release.ts';

export interface QuarantineParts extends ReleaseParts {
  readonly circle: Circle;
  readonly index: CaseIndex;
  readonly notify: Notify;
  readonly publicUrl: string;
}

/** No summary is sent before this hour of the circle's day: it is read in the morning, and not at night. */
const earliestHour = 7;
/** As many mails as one summary names; a flood waits for the next days, or for `caregate cases`. */
const mostNamed = 20;
/** What is older than this was named, or came in a flood; in milliseconds. */
const named = 7 * 86_400_000;

/** The same for every circle of a deployment. One that fails does not keep the others waiting. */
export async function summarizeQuarantines(
  parts: Omit<QuarantineParts, 'circle'> & { readonly circles: readonly Circle[] },
): Promise<{ named: number; sent: number }> {
  const all = await workOnEach(parts.circles, (circle) => summarizeQuarantine({ ...parts, circle }));
  const sum = (of: 'named' | 'sent'): number => all.reduce((total, each) => total + each[of], 0);
  return { named: sum('named'), sent: sum('sent') };
}

/**
 * Tells the owners of a circle, in one mail a day, what was held back since the last one, with a link for each mail
 * that can be released. What was already summed up on this day is sent to whoever could not be reached, and to nobody
 * twice.
 * @returns how many mails today's summary names, and how many people it was sent to now
 */
export async function summarizeQuarantine(parts: QuarantineParts): Promise<{ named: number; sent: number }> {
  const { day, hour } = localTime(parts);
  const key = layout.summary(parts.circle.id, day);
  const standing = await findRecord(parts.store, key, summaryRecordSchema);
  const summary = standing ?? (hour < earliestHour ? undefined : await startSummary(parts, day));
  if (summary === undefined) return { named: 0, sent: 0 };
  const items = await itemsOf(parts, summary);
  let sent = 0;
  for (const owner of ownersOf(parts.circle)) if (await mailSummary(parts, summary, items, owner)) sent += 1;
  return { named: summary.cases.length, sent };
}

/** The day and the hour where the circle lives. */
function localTime({ clock, circle }: QuarantineParts): { day: string; hour: number } {
  const { timezone } = circle;
  const now = clock.now();
  const hours = new Intl.DateTimeFormat('en', { timeZone: timezone, hour: '2-digit', hourCycle: 'h23' });
  return { day: dayIn(timezone, now), hour: Number(hours.format(now)) };
}

/** Today's summary of what none has named yet. Of two runs at once, one begins it and both go on with it. */
async function startSummary(parts: QuarantineParts, day: string): Promise<SummaryRecord | undefined> {
  const held = await unnamed(parts);
  if (held.length === 0) return undefined;
  const cases = held.slice(0, mostNamed).map((entry) => entry.case);
  const summary = { day, cases, more: held.length - cases.length, at: isoTime(parts.clock) };
  try {
    await writeRecord(parts.store, layout.summary(parts.circle.id, day), summary);
    return summary;
  } catch (error) {
    if (!isCaregateError(error, 'CREATE_CONFLICT')) throw error;
    return findRecord(parts.store, layout.summary(parts.circle.id, day), summaryRecordSchema);
  }
}

/** What is in quarantine and stands in no summary yet, the oldest first. */
async function unnamed({ store, index, circle, clock }: QuarantineParts): Promise<CaseEntry[]> {
  const since = new Date(clock.now() - named).toISOString();
  const held = (await index.list(circle.id))
    .filter(({ status, openedAt }) => status === 'quarantined' && openedAt >= since)
    .reverse();
  if (held.length === 0) return [];
  const before = new Set<string>();
  for (const key of await store.list(layout.summaries(circle.id))) {
    if (key < layout.summary(circle.id, since.slice(0, 10))) continue;
    const summary = await findRecord(store, key, summaryRecordSchema);
    for (const id of summary?.cases ?? []) before.add(id);
  }
  return held.filter((entry) => !before.has(entry.case));
}

interface Item {
  readonly held: HeldMail;
  /** What people are asked, for a mail that can be released. */
  readonly entry?: ApprovalEntry | undefined;
}

async function itemsOf(parts: QuarantineParts, { cases }: SummaryRecord): Promise<Item[]> {
  const { store, circle, index } = parts;
  const items: Item[] = [];
  for (const id of cases) {
    const key = { circle: circle.id, case: id };
    const record = await findRecord(store, layout.case(key), caseRecordSchema);
    if (record === undefined) continue;
    const execution = (await index.find(key))?.execution ?? id;
    let heads: Promise<Heads> | undefined;
    const readHeads = (): Promise<Heads> => {
      heads ??= headsOf(store, record);
      return heads;
    };
    const held = { record, heads: readHeads, execution };
    items.push({ held, entry: await requestRelease(parts, circle, held, ownersOf(circle)) });
  }
  return items;
}

/** Mails one owner, if she was not yet: one code that is good for every link of the mail, each a person's own. */
async function mailSummary(
  parts: QuarantineParts,
  { day, more }: SummaryRecord,
  items: readonly Item[],
  owner: Person,
): Promise<boolean> {
  const open = items.flatMap(({ entry }) =>
    entry !== undefined && isOpen(parts, entry, owner) ? [entry] : [],
  );
  if (open.some(({ people }) => people[owner.id]?.mailedAt !== undefined)) return false;
  const code = newCode(parts.randomness);
  // Where another run was faster, its code is the one that is mailed.
  for (const entry of open) if (!(await addCode(parts, entry, owner, code))) return false;
  const linked = new Set(open.map(({ id }) => id));
  const result = await parts.notify({
    id: `quarantine/${day}`,
    kind: 'quarantine_summary',
    circle: parts.circle,
    people: [owner.id],
    slots: {
      more,
      ...(open[0] === undefined ? {} : { code, expires: open[0].expires }),
      mails: await Promise.all(items.map((item) => lineOf(parts, item, owner, linked))),
    },
  });
  const at = isoTime(parts.clock);
  for (const { id } of open) await parts.register.noteMailed(id, owner.id, { at, reminder: false });
  return result.sent.length > 0;
}

function isOpen({ clock }: QuarantineParts, entry: ApprovalEntry, owner: Person): boolean {
  return statusAt(entry, clock.now()) === 'open' && Object.hasOwn(entry.people, owner.id);
}

async function addCode(
  { register }: QuarantineParts,
  entry: ApprovalEntry,
  owner: Person,
  code: string,
): Promise<boolean> {
  const secret = entry.secrets[owner.id];
  const stand = entry.people[owner.id];
  if (secret === undefined || stand === undefined) return false;
  const hashes = [...secret.hashes, codeHash(code, secret.salt)];
  return register.addCode(entry.id, { person: owner.id, mailed: stand.mailed, hashes });
}

type Line = NoticeSlots<'quarantine_summary'>['mails'][number];

async function lineOf(
  { publicUrl }: QuarantineParts,
  { held: { record, heads }, entry }: Item,
  owner: Person,
  linked: ReadonlySet<string>,
): Promise<Line> {
  const link = entry !== undefined && linked.has(entry.id) ? entry.secrets[owner.id]?.link : undefined;
  return {
    case: record.case,
    reason: record.judgement.reason,
    receivedAt: record.openedAt,
    ...(await heads()),
    ...(link === undefined ? {} : { url: linkUrl(publicUrl, link) }),
  };
}
