import type { Sha256 } from '../provenance/digest.ts';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';

/** Where everything of a case lies. One module, so that a permission by prefix is a fact about one file. */
export interface CaseKey {
  readonly circle: CircleId;
  readonly case: CaseId;
}

const root = ({ circle, case: id }: CaseKey): string => `circles/${circle}/cases/${id}`;
const padded = (number: number): string => String(number).padStart(4, '0');
const action = (key: CaseKey, number: number): string => `${root(key)}/actions/${padded(number)}`;

export const layout = {
  deliveries: 'deliveries/',
  delivery: (id: string): string => `deliveries/${id}.json`,
  /** Written after an execution took a delivery over, so that a sweep sees what a lost event left behind. */
  startings: 'startings/',
  starting: (id: string): string => `startings/${id}.json`,
  /** What is for none of the circles: kept, listed and taken up once there is a circle for it. */
  unassigned: (id: string): string => `unassigned/${id}.json`,
  /** Whoever creates it tells people about a kind of thing on that day. */
  told: (circle: CircleId, kind: string, day: string): string => `circles/${circle}/told/${kind}/${day}.json`,
  notice: (circle: CircleId, notice: Sha256, person: string): string =>
    `circles/${circle}/notices/${notice}/${person}.json`,
  release: (key: CaseKey): string => `${root(key)}/release.json`,
  /** What a person was asked about a mail in quarantine, and what she chose. */
  releaseRequest: (key: CaseKey): string => `${root(key)}/release-request.json`,
  releaseChoice: (key: CaseKey): string => `${root(key)}/release-choice.json`,
  /** The mails that one day's summary of the quarantine names. */
  summaries: (circle: CircleId): string => `circles/${circle}/summaries/`,
  summary: (circle: CircleId, day: string): string => `circles/${circle}/summaries/${day}.json`,
  /** Who subscribes to the calendars, by the digest of the secret in the address; and what was taken back. */
  subscriptions: (circle: CircleId): string => `circles/${circle}/subscriptions/`,
  subscription: (circle: CircleId, digest: Sha256): string =>
    `circles/${circle}/subscriptions/${digest}.json`,
  revocation: (circle: CircleId, digest: Sha256): string => `circles/${circle}/revocations/${digest}.json`,
  calendars: (circle: CircleId): string => `circles/${circle}/effects/calendars/`,
  cases: (circle: CircleId): string => `circles/${circle}/cases/`,
  root: (key: CaseKey): string => `${root(key)}/`,
  case: (key: CaseKey): string => `${root(key)}/case.json`,
  mail: (key: CaseKey): string => `${root(key)}/mail.eml`,
  document: (key: CaseKey, digest: Sha256): string => `${root(key)}/documents/${digest}`,
  /** What a model read from one picture. */
  transcript: (key: CaseKey, picture: Sha256): string => `${root(key)}/transcripts/${picture}.json`,
  triage: (key: CaseKey, round: number): string => `${root(key)}/triage/${padded(round)}.json`,
  evidence: (key: CaseKey, round: number): string => `${root(key)}/evidence/${padded(round)}.json`,
  actions: (key: CaseKey): string => `${root(key)}/actions/`,
  proposal: (key: CaseKey, number: number): string => `${action(key, number)}/proposal.json`,
  call: (key: CaseKey, number: number): string => `${action(key, number)}/call.json`,
  decision: (key: CaseKey, number: number): string => `${action(key, number)}/decision.json`,
  approval: (key: CaseKey, number: number): string => `${action(key, number)}/approval.json`,
  consents: (key: CaseKey, number: number): string => `${action(key, number)}/consents/`,
  consent: (key: CaseKey, number: number, person: string): string =>
    `${action(key, number)}/consents/${person}.json`,
  decline: (key: CaseKey, number: number): string => `${action(key, number)}/decline.json`,
  answer: (key: CaseKey, number: number): string => `${action(key, number)}/answer.json`,
  intent: (key: CaseKey, number: number): string => `${action(key, number)}/intent.json`,
  attempt: (key: CaseKey, number: number): string => `${action(key, number)}/attempt.json`,
  sent: (key: CaseKey, number: number): string => `${action(key, number)}/sent.json`,
  rejected: (key: CaseKey, number: number): string => `${action(key, number)}/rejected.json`,
  outcome: (key: CaseKey, number: number): string => `${action(key, number)}/outcome.json`,
  receipts: (key: CaseKey): string => `${root(key)}/receipts/`,
  receipt: (key: CaseKey, number: number): string => `${root(key)}/receipts/${padded(number)}.json`,
  parked: (key: CaseKey, execution: string): string => `${root(key)}/parked/${execution}.json`,
  closing: (key: CaseKey, execution: string): string => `${root(key)}/closings/${execution}.json`,
  history: (key: CaseKey, execution: string): string => `${root(key)}/history/${execution}.json`,
  /** How the smoke tests of a release ended, by the commit that it was built from. */
  smokes: (commit: string): string => `smoke/${commit}/`,
  smoke: (commit: string, run: string): string => `smoke/${commit}/${run}.json`,
  policy: (digest: Sha256): string => `policies/${digest}.json`,
  effects: (circle: CircleId): string => `circles/${circle}/effects/`,
  folder: (circle: CircleId, folder: string): string => `circles/${circle}/effects/folders/${folder}/`,
  calendar: (circle: CircleId, calendar: string): string =>
    `circles/${circle}/effects/calendars/${calendar}/`,
  letter: ({ circle, case: id }: CaseKey, number: number): string =>
    `circles/${circle}/effects/letters/${id}/${padded(number)}.eml`,
} as const;
