import { layout } from '../casefile/layout.ts';
import { mailPrefix } from '../mail/ingest.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';

const circle = '*' as CircleId;
const any = { circle, case: '*' as CaseId };
const digest = '*' as Sha256;
/** As long as the numbers in keys are padded to, so that nothing is put before it. */
const number = '****' as unknown as number;

/**
 * The kinds of objects in the case bucket, each by the pattern of its keys. The patterns come from the layout itself,
 * so that a right by prefix and the keys that are really written cannot drift apart.
 */
const written = {
  delivery: layout.delivery('*'),
  starting: layout.starting('*'),
  unassigned: layout.unassigned('*'),
  told: layout.told(circle, '*', '*'),
  notice: layout.notice(circle, digest, '*'),
  summary: layout.summary(circle, '*'),
  release: layout.release(any),
  releaseRequest: layout.releaseRequest(any),
  releaseChoice: layout.releaseChoice(any),
  subscription: layout.subscription(circle, digest),
  revocation: layout.revocation(circle, digest),
  case: layout.case(any),
  mail: layout.mail(any),
  document: layout.document(any, digest),
  transcript: layout.transcript(any, digest),
  triage: layout.triage(any, number),
  evidence: layout.evidence(any, number),
  proposal: layout.proposal(any, number),
  call: layout.call(any, number),
  decision: layout.decision(any, number),
  approval: layout.approval(any, number),
  consent: layout.consent(any, number, '*'),
  decline: layout.decline(any, number),
  answer: layout.answer(any, number),
  intent: layout.intent(any, number),
  attempt: layout.attempt(any, number),
  sent: layout.sent(any, number),
  rejected: layout.rejected(any, number),
  outcome: layout.outcome(any, number),
  receipt: layout.receipt(any, number),
  parked: layout.parked(any, '*'),
  closing: layout.closing(any, '*'),
  history: layout.history(any, '*'),
  policy: layout.policy(digest),
  smoke: layout.smoke('*', '*'),
  filed: `${layout.folder(circle, '*')}*`,
  appointment: `${layout.calendar(circle, '*')}*`,
  letter: layout.letter(any, number),
} as const;

export type Place = keyof typeof written;

/** What can be listed in the case bucket. */
const listed = {
  startings: layout.startings,
  actions: layout.actions(any),
  consents: layout.consents(any, number),
  receipts: layout.receipts(any),
  triages: `${layout.root(any)}triage/`,
  parkings: `${layout.root(any)}parked/`,
  smokes: layout.smokes('*'),
  summaries: layout.summaries(circle),
  calendars: layout.calendars(circle),
} as const;

export type Listing = keyof typeof listed;

const onePattern = (key: string): string => key.replace(/\*+/g, '*');

/** Patterns of keys, as a policy takes them. */
export const places: Readonly<Record<Place, string>> = mapped(written);

/** Patterns of prefixes, as `s3:prefix` takes them. */
export const listings: Readonly<Record<Listing, string>> = mapped(listed);

function mapped<Name extends string>(given: Readonly<Record<Name, string>>): Record<Name, string> {
  const entries = Object.entries<string>(given).map(([name, key]) => [name, onePattern(key)]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** Everything that an effect leaves in the case bucket. */
export const effectsPattern = onePattern(`${layout.effects(circle)}*`);

/** Everything under an action's consents: whatever lies there is read as one. */
export const consentsPattern = onePattern(`${layout.consents(any, number)}*`);

/** The kinds of objects that hold what a mail says: the evidence quotes it, and keeps what nobody sees in it. */
export const contentPlaces = ['mail', 'document', 'transcript', 'evidence'] as const satisfies Place[];

/** What holds content that can be forgotten, in the case bucket. */
export const contentPatterns: readonly string[] = contentPlaces.map((place) => places[place]);

/** Mails as they arrived, in the inbox. */
export const inboxPattern = `${mailPrefix}*`;
export const inboxListing = mailPrefix;
