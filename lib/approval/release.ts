import { layout } from '../casefile/layout.ts';
import { isReleasable } from '../casefile/quarantine.ts';
import type { CaseRecord } from '../casefile/schemas.ts';
import type { ObjectStore } from '../casefile/store.ts';
import type { Circle, Person } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { digestOf } from '../provenance/digest.ts';
import type { ApprovalId } from '../provenance/identifiers.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { ApprovalEntry } from './entry.ts';
import type { Heads } from './heads.ts';
import type { LinkSigner } from './link.ts';
import { openEntry } from './openentry.ts';
import type { Presentation } from './presentation.ts';
import { type ApprovalRecord, keepRecord } from './record.ts';
import type { ApprovalRegister } from './register.ts';
import { askedTitles, caseReason, dayAndTime, visible } from './wording.ts';

export interface ReleaseParts {
  readonly store: ObjectStore;
  readonly register: ApprovalRegister;
  readonly signer: LinkSigner;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A mail in quarantine that people are asked about. */
export interface HeldMail {
  readonly record: CaseRecord;
  /** Reads what the head of the mail says, which only a new request and a mail about it need. */
  readonly heads: () => Promise<Heads>;
  /** The run that quarantined it. */
  readonly execution: string;
}

/** How long a release can be decided, in milliseconds. The mail stays after that; `caregate resume` releases it too. */
const releasableFor = 7 * 86_400_000;

/** No execution waits for a release, so there is no task token to keep. */
const noToken = 'none';

/**
 * Asks people whether a mail in quarantine is to be read, by a link of each person's own. Asking again is the same
 * request. The code is mailed by whoever asks.
 * @returns the entry, or nothing for a mail that could not be read or must not be opened
 */
export async function requestRelease(
  parts: ReleaseParts,
  circle: Circle,
  held: HeldMail,
  people: readonly Person[],
): Promise<ApprovalEntry | undefined> {
  if (!isReleasable(held.record)) return undefined;
  const id = releaseIdOf(held.record);
  const known = await parts.register.find(id);
  if (known !== undefined) return known;
  const at = layout.releaseRequest(held.record);
  const kept = await keepRecord(parts.store, at, await recordOf(parts, circle, held, people));
  const entry = await entryOf(parts, held, kept);
  if (await parts.register.create(entry)) return entry;
  return parts.register.find(id);
}

/** The same for the same quarantined case, so that it is asked about once. */
function releaseIdOf({ circle, case: id }: CaseRecord): ApprovalId {
  const digest = digestOf({ release: [circle, id] });
  return Buffer.from(digest, 'hex').subarray(0, 16).toString('base64url') as ApprovalId;
}

async function recordOf(
  { clock }: ReleaseParts,
  circle: Circle,
  held: HeldMail,
  people: readonly Person[],
): Promise<ApprovalRecord> {
  const presentation = presentationOf(circle, held.record, await held.heads());
  return {
    approval: releaseIdOf(held.record),
    kind: 'release',
    callDigest: presentation.callDigest,
    reason: 'NO_EFFECT', // a released mail is read and judged like any other; the release itself does nothing outside
    presentation,
    consent: { people: 1, roles: [...new Set(people.flatMap(({ roles }) => roles))] },
    people: people.map(({ id }) => id),
    requestedAt: isoTime(clock),
    expires: new Date(clock.now() + releasableFor).toISOString(),
  };
}

function presentationOf(circle: Circle, record: CaseRecord, heads: Heads): Presentation {
  const header = (label: string, value: string | undefined) =>
    value === undefined || value.trim() === ''
      ? []
      : [{ label, value: visible(value), origin: { by: 'header' } as const }];
  const found = (label: string, value: string) => ({ label, value, origin: { by: 'caregate' } as const });
  return {
    tool: 'release_mail',
    title: askedTitles.release_mail,
    callDigest: digestOf({ release: { circle: record.circle, case: record.case, message: record.message } }),
    lines: [
      ...header('From', heads.from),
      ...header('Subject', heads.subject),
      found('Received', dayAndTime(record.openedAt, circle)),
      found('Held back because', caseReason(record.judgement.reason)),
    ],
  };
}

function entryOf(
  parts: ReleaseParts,
  { record: held, execution }: HeldMail,
  { record, pointer }: Awaited<ReturnType<typeof keepRecord>>,
): Promise<ApprovalEntry> {
  const { approval: id, callDigest, requestedAt, expires, people } = record;
  const { circle, case: quarantined } = held;
  const asked = {
    id,
    callDigest,
    circle,
    case: quarantined,
    execution,
    record: pointer,
    requestedAt,
    expires,
  };
  return openEntry(
    parts,
    { ...asked, kind: 'release', action: 0, tool: 'release_mail', need: 1, token: noToken },
    'release',
    people,
  );
}
