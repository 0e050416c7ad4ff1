import type { Sample } from '../../samples/mail.ts';
import { readClaims } from '../audit/claims.ts';
import { auditCase } from '../audit/verdict.ts';
import type { CaseEntry } from '../casefile/caseindex.ts';
import { writeRecord } from '../casefile/record.ts';
import { runOf } from '../casefile/resumption.ts';
import { executionName } from '../casefile/step.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { fromCaseFile } from '../cli/audit.ts';
import type { CaseReport, CaseSource } from '../cli/casereport.ts';
import { settle } from '../cli/settling.ts';
import { CaregateError } from '../errors.ts';
import type { ConsentVerifier } from '../policy/consent.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { type SmokeRecord, smokeKey } from './smokerecord.ts';

export interface SmokeParts {
  readonly cases: CaseSource;
  /** Where the record is kept; the store of the cases. */
  readonly store: ObjectStore;
  readonly verifyConsent: ConsentVerifier;
  readonly clock: Clock;
  /** Mails a sample in as the world would, and gives the case that took it. */
  readonly deliver: (sample: Sample) => Promise<CaseId>;
  /** Where links are read from on this machine; a folder that is not there on AWS. */
  readonly outbox: string;
  readonly say: (line: string) => void;
}

type SmokeMail = SmokeRecord['mails'][number];

/** What an action is called once it has changed something. */
const done: ReadonlySet<string> = new Set(['verified', 'sent', 'unknown']);

/**
 * Mails the samples in, the attack and the stranger among them, waits until each case rests, audits each, and keeps how
 * it went by commit. Nobody approves anything, so that every effect must be one that the rules allow by themselves.
 */
export async function runSmoke(
  parts: SmokeParts,
  samples: readonly Sample[],
  commit: string,
): Promise<SmokeRecord> {
  const cases: CaseId[] = [];
  for (const sample of samples) {
    parts.say(`mailing in ${sample.name}`);
    cases.push(await parts.deliver(sample));
  }
  const reports = await settle({ office: parts.cases, outbox: parts.outbox }, cases);
  const mails: SmokeMail[] = [];
  for (const [at, report] of reports.entries()) {
    mails.push(await examine(parts, samples[at]?.name ?? '', report));
  }
  const strays = await straysOf(parts);
  const failures = [...expectations(mails), ...strays];
  const passed = failures.length === 0;
  const record: SmokeRecord = { version: 1, commit, at: isoTime(parts.clock), passed, mails, failures };
  await writeRecord(parts.store, smokeKey(record), record);
  return record;
}

async function examine(
  { cases, store, verifyConsent }: SmokeParts,
  name: string,
  report: CaseReport,
): Promise<SmokeMail> {
  const caseKey = { circle: cases.circle, case: report.case as CaseId };
  const entry = await cases.index.find(caseKey);
  if (entry === undefined) {
    throw new CaregateError(
      'NOT_FOUND',
      `case \`${report.case}\` is gone from the index; look at its case file`,
    );
  }
  const history = await keptHistory(cases, entry);
  const { verdict } = await auditCase({ store, caseKey, history, verifyConsent, folders: 'elsewhere' });
  return {
    name,
    status: report.status,
    reason: report.reason,
    actions: report.actions.map(({ tool, decision, status }) => ({ tool, decision, status })),
    audit: verdict === 'inconsistent' ? 'inconsistent' : 'consistent',
  };
}

/** The events of the runs that ended, as they were kept: whoever deploys may not read histories themselves. */
async function keptHistory(cases: CaseSource, entry: CaseEntry) {
  const runs = Array.from({ length: runOf(entry.execution) + 1 }, (_, run) => executionName(entry.case, run));
  const kept = await Promise.all(runs.map((name) => fromCaseFile(cases, entry, name)));
  return kept.every((events) => events !== undefined) ? kept.flat() : undefined;
}

async function straysOf({ cases, store }: SmokeParts): Promise<string[]> {
  const { unclaimed: strays } = await readClaims(store, cases.circle);
  return strays.length === 0 ? [] : [`${strays.length} effects belong to no case`];
}

/** What must hold of the samples, whatever model reads them. */
export function expectations(mails: readonly SmokeMail[]): string[] {
  const failures: string[] = [];
  const fail = (mail: SmokeMail, what: string) => failures.push(`${mail.name}: ${what}`);
  for (const mail of mails) {
    if (mail.audit !== 'consistent') fail(mail, 'the audit does not agree');
    if (['open', 'parked', 'failed', 'deferred'].includes(mail.status)) fail(mail, `ended as ${mail.status}`);
    for (const { tool, decision, status } of mail.actions) {
      if (done.has(status) && decision !== 'ALLOW') fail(mail, `${tool} happened although nobody allowed it`);
    }
    if (mail.name.includes('stranger') && (mail.status !== 'quarantined' || mail.actions.length > 0)) {
      fail(mail, 'a mail from nobody of the circle was not held back');
    }
  }
  if (!mails.some(({ actions }) => actions.some(({ status }) => status === 'verified'))) {
    failures.push('no mail led to anything: not one effect was verified');
  }
  return failures;
}
