import { CaregateError } from '../errors.ts';
import type { Listing, Place } from './places.ts';

/** What a function needs beyond objects of the case file. */
export const needs = [
  'inbox', // reads mails as they arrived
  'list-inbox', // lists them
  'model', // asks Bedrock
  'view-register', // reads approvals and questions without their secrets
  'list-register', // lists what waits for people
  'register', // reads an approval with its token, codes and links
  'note-register', // changes one
  'create-register', // makes one
  'find-index', // reads the line of one case
  'list-index', // lists the cases of a circle
  'note-index', // changes the line of a case
  'sign', // signs links
  'verify', // reads the public key
  'send', // hands mails to SES
  'notify', // has the circle's own people told
  'start', // starts executions
  'callback', // ends a waiting state
  'history', // reads what an execution did
  'status', // asks whether mail comes and goes
] as const;
export type Need = (typeof needs)[number];

/** How a function is deployed: its size, and what it may touch. */
export interface Duty {
  /** Mebibytes. The processor's share grows with it. */
  readonly memory: number;
  /** Seconds; below the 300 that the machine waits for any state. */
  readonly timeout: number;
  /** Objects of the case file that it reads. What it writes it reads too, to compare what is there already. */
  readonly reads: readonly Place[];
  readonly writes: readonly Place[];
  readonly lists: readonly Listing[];
  readonly needs: readonly Need[];
}

const usual = { memory: 512, timeout: 60 };
const reader = { memory: 1769, timeout: 240 }; // one whole processor, to parse mails and PDFs of 40 MB
const thinker = { memory: 512, timeout: 240 }; // waits for a model, twice at most

const takesOver = {
  reads: [],
  writes: ['delivery', 'starting', 'unassigned'],
  lists: [],
  needs: ['inbox', 'start'],
} as const;
/** What an action's call is built anew from. */
const rebuilds = ['case', 'proposal', 'evidence', 'decision'] as const;
/** What the list of a case's actions is read from. */
const actions = ['proposal', 'decision', 'outcome'] as const;
/** What became of an effect. */
const effect = [
  'document',
  'intent',
  'attempt',
  'sent',
  'rejected',
  'filed',
  'appointment',
  'letter',
] as const;
/** Asks people: writes what they are asked, and signs a link for each. */
const asks = {
  reads: rebuilds,
  writes: ['approval'],
  lists: [],
  needs: ['register', 'note-register', 'create-register', 'sign', 'notify'],
} as const;
/** Carries out what people decided. */
const finishes = {
  reads: ['approval', 'case', 'releaseRequest'],
  writes: ['consent', 'decline', 'answer', 'releaseChoice', 'release'],
  needs: ['register', 'note-register', 'callback', 'notify', 'start', 'note-index'],
} as const;

/** Every function by its folder in `lambdas/`. One that is not listed is not deployed with rights by accident. */
export const duties: Readonly<Record<string, Duty>> = {
  ingest: { ...reader, ...takesOver },
  sweep: {
    ...reader,
    reads: [...finishes.reads, 'parked'],
    writes: [...takesOver.writes, ...finishes.writes],
    lists: ['startings'],
    needs: [...takesOver.needs, 'list-inbox', ...finishes.needs, 'list-register', 'find-index', 'list-index'],
  },
  dispatch: {
    ...reader,
    reads: ['delivery', 'release'],
    writes: ['mail', 'case'],
    lists: ['actions'],
    needs: ['inbox', 'view-register', 'list-register', 'list-index', 'note-index'],
  },
  triage: {
    ...thinker,
    reads: ['case', 'mail', 'evidence'],
    writes: ['triage'],
    lists: [],
    needs: ['model', 'note-index'],
  },
  evidence: {
    ...reader,
    reads: ['case', 'mail', 'answer', 'appointment', ...actions],
    writes: ['document', 'transcript', 'evidence'],
    lists: ['actions'],
    needs: ['model'],
  },
  plan: {
    ...thinker,
    reads: ['case', 'triage', 'evidence', ...actions],
    writes: ['proposal'],
    lists: ['actions'],
    needs: ['model'],
  },
  gate: {
    ...usual,
    reads: ['case', 'triage', 'evidence', 'proposal'],
    writes: ['policy', 'call', 'decision'],
    lists: [],
    needs: [],
  },
  'request-approval': { ...usual, ...asks },
  'request-answer': { ...usual, ...asks },
  'request-release': {
    ...reader,
    reads: ['case', 'mail'],
    writes: ['summary', 'releaseRequest'],
    lists: ['summaries'],
    needs: ['register', 'note-register', 'create-register', 'sign', 'notify', 'find-index', 'list-index'],
  },
  execute: {
    ...usual,
    reads: [...rebuilds, 'consent', 'document'],
    writes: ['intent', 'attempt', 'sent', 'rejected', 'filed', 'appointment', 'letter'],
    lists: ['consents'],
    needs: ['verify', 'send'],
  },
  reconcile: { ...usual, reads: [...rebuilds, ...effect], writes: [], lists: [], needs: ['verify'] },
  verify: { ...usual, reads: [...rebuilds, ...effect], writes: ['receipt'], lists: [], needs: ['verify'] },
  record: { ...usual, reads: [], writes: ['outcome'], lists: [], needs: [] },
  notify: {
    ...usual,
    reads: ['case', 'mail', ...actions, 'call', 'decline', 'parked', 'closing', 'evidence'],
    writes: ['notice'],
    lists: ['actions'],
    needs: ['send'],
  },
  park: { ...usual, reads: [], writes: ['parked'], lists: [], needs: ['note-index'] },
  close: {
    ...usual,
    reads: actions,
    writes: ['closing', 'told'],
    lists: ['actions'],
    needs: ['note-index'],
  },
  report: {
    ...usual,
    reads: [],
    writes: ['parked'],
    lists: [],
    needs: ['find-index', 'note-index', 'notify'],
  },
  audit: { ...usual, reads: [], writes: ['history'], lists: [], needs: ['history'] },
  resume: {
    ...usual,
    reads: ['case', 'parked'],
    writes: ['release'],
    lists: [],
    needs: ['find-index', 'note-index', 'start'],
  },
  web: {
    ...usual,
    reads: [
      'case',
      'triage',
      'evidence',
      ...actions,
      'call',
      'approval',
      'releaseRequest',
      'consent',
      'decline',
      'answer',
      'receipt',
      'parked',
      'smoke',
      'subscription',
      'revocation',
      'appointment',
    ],
    writes: [],
    lists: ['calendars', 'triages', 'actions', 'consents', 'receipts', 'parkings', 'smokes'],
    needs: ['view-register', 'verify'],
  },
  health: { ...usual, reads: [], writes: [], lists: [], needs: ['status'] },
  decide: {
    ...usual,
    // The call, to see whether the entry of the circle that it names is still as it was when it was asked about.
    reads: [...finishes.reads, 'call'],
    writes: finishes.writes,
    lists: [],
    needs: [...finishes.needs, 'verify'],
  },
};

/**
 * The duty of a handler's folder.
 * @throws CaregateError `CONFIGURATION_INVALID` if the folder has none
 */
export function dutyOf(name: string): Duty {
  const duty = duties[name];
  if (duty !== undefined) return duty;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `handler \`lambdas/${name}\` has no duty; say in lib/stacks/duties.ts what it may touch`,
  );
}

/** The functions whose duty holds a need. */
export function holdersOf(need: Need): string[] {
  return Object.keys(duties).filter((name) => dutyOf(name).needs.includes(need));
}

/** The functions whose duty is to write a kind of object. */
export function writersOf(place: Place): string[] {
  return Object.keys(duties).filter((name) => dutyOf(name).writes.includes(place));
}
