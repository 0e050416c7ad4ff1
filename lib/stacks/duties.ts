import { CaregateError } from '../errors.ts';

/** What a function needs beyond the case file, which each of them reads and adds to. */
export const needs = [
  'inbox', // reads mails as they arrived
  'model', // asks Bedrock
  'register', // the table of approvals and questions
  'index', // the table of cases
  'sign', // signs approval links
  'verify', // reads the public key
  'send', // hands mails to SES
  'notify', // has the circle's own people told
  'start', // starts executions
  'callback', // ends a waiting state
  'history', // reads what an execution did
] as const;
export type Need = (typeof needs)[number];

/** How a function is deployed: its size, and what it may touch. */
export interface Duty {
  /** Mebibytes. The processor's share grows with it. */
  readonly memory: number;
  /** Seconds; below the 300 that the machine waits for any state. */
  readonly timeout: number;
  readonly needs: readonly Need[];
}

const usual = { memory: 512, timeout: 60 };
const reader = { memory: 1769, timeout: 240 }; // one whole processor, to parse mails and PDFs of 40 MB
const thinker = { memory: 512, timeout: 240 }; // waits for a model, twice at most

/** Every function by its folder in `lambdas/`. One that is not listed is not deployed with rights by accident. */
export const duties: Readonly<Record<string, Duty>> = {
  ingest: { ...reader, needs: ['inbox', 'start'] },
  sweep: { ...reader, needs: ['inbox', 'index', 'register', 'start', 'callback', 'notify'] },
  dispatch: { ...reader, needs: ['inbox', 'index', 'register'] },
  evidence: { ...reader, needs: [] },
  triage: { ...thinker, needs: ['model', 'index'] },
  plan: { ...thinker, needs: ['model'] },
  gate: { ...usual, needs: [] },
  'request-approval': { ...usual, needs: ['register', 'sign', 'notify'] },
  'request-answer': { ...usual, needs: ['register', 'sign', 'notify'] },
  execute: { ...usual, needs: ['verify', 'send'] },
  reconcile: { ...usual, needs: ['verify'] },
  verify: { ...usual, needs: ['verify'] },
  record: { ...usual, needs: [] },
  notify: { ...usual, needs: ['send'] },
  park: { ...usual, needs: ['index'] },
  close: { ...usual, needs: ['index'] },
  report: { ...usual, needs: ['index', 'notify'] },
  audit: { ...usual, needs: ['history'] },
  resume: { ...usual, needs: ['index', 'start'] },
  web: { ...usual, needs: ['register', 'index', 'verify'] },
  health: { ...usual, needs: [] },
  decide: { ...usual, needs: ['register', 'index', 'verify', 'callback', 'notify'] },
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
