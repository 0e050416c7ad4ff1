import { readRecord } from '../casefile/record.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import type { Randomness } from '../provenance/randomness.ts';
import { codeHash, newCode } from './code.ts';
import { type ApprovalEntry, type ApprovalView, type Stand, statusAt } from './entry.ts';
import { linkUrl } from './link.ts';
import type { Notice, Notify } from './notice.ts';
import { type ApprovalRecord, approvalRecordSchema } from './record.ts';
import type { ApprovalRegister } from './register.ts';

/** What mailing a code takes. No key to sign with: the link that a person was given stays hers. */
export interface MailingParts {
  readonly store: ObjectStore;
  readonly register: ApprovalRegister;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly publicUrl: string;
}

interface Mailing {
  readonly circle: Circle;
  readonly entry: ApprovalEntry;
  readonly record: ApprovalRecord;
  readonly person: string;
}

type CodeKind = 'approval_request' | 'question' | 'reminder' | 'new_code';

/** Codes that one person is mailed at most for one request, the first and the reminder among them. */
const mostCodes = 6;
/** Between two codes, in milliseconds: a scanner that submits every form it finds cannot flood a mailbox. */
const betweenCodes = 10 * 60_000;

/** Mails the link with a first code. */
export async function mailFirstCode(parts: MailingParts, mailing: Mailing): Promise<void> {
  await mail(parts, mailing, firstKind(mailing.entry));
}

function firstKind(entry: ApprovalEntry): CodeKind {
  return entry.kind === 'question' ? 'question' : 'approval_request';
}

/**
 * Mails a new code on the wish of whoever has the link. Older codes of the last mails stay good, so that a program
 * that presses every button takes nothing from the person. It does not lift a lock.
 * @returns whether a code was mailed; if not, one was mailed a short while ago, or as many as there may be
 * @throws CaregateError `APPROVAL_CLOSED`
 */
export async function mailNewCode(
  parts: MailingParts,
  circle: Circle,
  entry: ApprovalEntry,
  person: string,
): Promise<boolean> {
  const now = parts.clock.now();
  const stand = entry.people[person];
  if (stand === undefined || statusAt(entry, now) !== 'open' || stand.choice !== undefined) {
    throw new CaregateError('APPROVAL_CLOSED', `approval \`${entry.id}\` waits for no code of this person`);
  }
  const since = stand.mailedAt === undefined ? Number.POSITIVE_INFINITY : now - Date.parse(stand.mailedAt);
  if (stand.mailed >= mostCodes || since < betweenCodes) return false;
  const record = await readRecord(parts.store, entry.record, approvalRecordSchema);
  return mail(parts, { circle, entry, record, person }, 'new_code');
}

/** After so long without a mail a person counts as not reached, in milliseconds. */
const unreachedAfter = 5 * 60_000;

/**
 * What the sweep does with one open request: marks it expired if its time is over, mails whoever could not be reached
 * at first, and past half of the time reminds once everybody who has not chosen. Whoever cannot be reached now is tried
 * again by the next sweep.
 */
export async function remind(
  parts: MailingParts,
  circle: Circle,
  view: Pick<ApprovalView, 'id'>,
): Promise<'expired' | 'reminded' | 'waiting'> {
  const entry = await parts.register.find(view.id);
  const now = parts.clock.now();
  if (entry === undefined || entry.status !== 'open') return 'waiting';
  if (statusAt(entry, now) === 'expired') {
    await parts.register.close(entry.id, 'expired');
    return 'expired';
  }
  // The quarantine's own summary mails a release, once; nobody is reminded of a mail from a stranger.
  if (entry.kind === 'release') return 'waiting';
  const due = Object.entries(entry.people).flatMap(([person, stand]) => {
    const kind = dueKind(entry, stand, now);
    return kind === undefined ? [] : [{ person, kind }];
  });
  if (due.length === 0) return 'waiting';
  const record = await readRecord(parts.store, entry.record, approvalRecordSchema);
  const mailed = await Promise.all(
    due.map(({ person, kind }) => mailIfPossible(parts, { circle, entry, record, person }, kind)),
  );
  return mailed.includes(true) ? 'reminded' : 'waiting';
}

function dueKind(entry: ApprovalEntry, stand: Stand, now: number): CodeKind | undefined {
  if (stand.choice !== undefined) return undefined;
  const requested = Date.parse(entry.requestedAt);
  if (stand.mailedAt === undefined) return now - requested < unreachedAfter ? undefined : firstKind(entry);
  const half = (requested + Date.parse(entry.expires)) / 2;
  return now < half || stand.reminded ? undefined : 'reminder';
}

async function mailIfPossible(parts: MailingParts, mailing: Mailing, kind: CodeKind): Promise<boolean> {
  try {
    return await mail(parts, mailing, kind);
  } catch (error) {
    if (isCaregateError(error, 'NOTICE_NOT_SENT')) return false;
    throw error;
  }
}

/**
 * Keeps a new code's hash, then mails the code: what was mailed always works, and of two at once one is mailed. A code
 * that did not leave is taken back, so that it pushes out none that did.
 */
async function mail(parts: MailingParts, mailing: Mailing, kind: CodeKind): Promise<boolean> {
  const { entry, person } = mailing;
  const stand = entry.people[person];
  const secret = entry.secrets[person];
  if (stand === undefined || secret === undefined) return false;
  const code = newCode(parts.randomness);
  const added = await parts.register.addCode(entry.id, {
    person,
    mailed: stand.mailed,
    hashes: [...secret.hashes, codeHash(code, secret.salt)],
  });
  if (!added) return false;
  try {
    await parts.notify(noticeOf(parts, mailing, kind, { code, link: secret.link, number: stand.mailed + 1 }));
  } catch (error) {
    await parts.register.takeBackCode(entry.id, { person, mailed: stand.mailed, hashes: secret.hashes });
    throw error;
  }
  await parts.register.noteMailed(entry.id, person, {
    at: isoTime(parts.clock),
    reminder: kind === 'reminder',
  });
  return true;
}

function noticeOf(
  parts: MailingParts,
  { circle, entry, record, person }: Mailing,
  kind: CodeKind,
  mailed: { code: string; link: string; number: number },
): Notice {
  const base = { id: `${entry.id}/${mailed.number}`, circle, people: [person] };
  const slots = { url: linkUrl(parts.publicUrl, mailed.link), code: mailed.code, expires: entry.expires };
  const { presentation, reason } = record;
  switch (kind) {
    case 'approval_request':
      return { ...base, kind, slots: { ...slots, presentation, reason, need: entry.need } };
    case 'question':
    case 'reminder':
      return { ...base, kind, slots: { ...slots, presentation } };
    case 'new_code':
      return { ...base, kind, slots: { ...slots, title: presentation.title } };
  }
}
