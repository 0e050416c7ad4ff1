import { readFileSync } from 'node:fs';
import { ExecutionDoesNotExist } from '@aws-sdk/client-sfn';
import { consentVerifier } from '../approval/verify.ts';
import { auditCircle } from '../audit/circle.ts';
import { findingCodes } from '../audit/finding.ts';
import { type HistoryEvent, historySchema } from '../audit/history.ts';
import { readHistory } from '../audit/statuschange.ts';
import { timelineOf } from '../audit/timeline.ts';
import { type AuditReport, auditCase } from '../audit/verdict.ts';
import type { CaseEntry } from '../casefile/caseindex.ts';
import { layout } from '../casefile/layout.ts';
import { runOf } from '../casefile/resumption.ts';
import { executionName } from '../casefile/step.ts';
import { CaregateError } from '../errors.ts';
import type { OfficeConnection } from '../local/connection.ts';
import type { ConsentVerifier } from '../policy/consent.ts';
import { findCase } from './caselookup.ts';
import type { CaseSource } from './casereport.ts';
import { openLinkKey } from './linkkey.ts';
import { createOutput, exitCodes, type Output } from './output.ts';
import { type CommonOptions, withOffice } from './session.ts';

export interface AuditOptions extends CommonOptions {
  readonly all?: boolean;
  /** An execution history in a file, instead of the one that the service gives. */
  readonly history?: string;
}

/**
 * Audits one case, or all of them. Nothing that was recorded is believed: digests, calls and decisions are
 * recomputed, and effects are read afresh.
 * @returns 1 if anything does not agree
 */
export async function audit(given: string | undefined, options: AuditOptions): Promise<number | undefined> {
  const output = createOutput(options.json === true);
  if (given === undefined && options.all !== true) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`audit` needs a case or `--all`; list the cases with `caregate cases`',
    );
  }
  return withOffice(options, async ({ office, outbox }) => {
    const verifyConsent = consentVerifier(openLinkKey(outbox));
    if (given === undefined) return auditAll(office, verifyConsent, output);
    const report = await auditEntry(office, await findCase(office, given), verifyConsent, options.history);
    show(output, report, false);
    return report.verdict === 'inconsistent' ? exitCodes.failed : undefined;
  });
}

/** Every case, and that nothing lies among the effects that no case accounts for. */
async function auditAll(
  office: OfficeConnection,
  verifyConsent: ConsentVerifier,
  output: Output,
): Promise<number | undefined> {
  const entries = new Map((await office.index.list(office.circle)).map((entry) => [entry.case, entry]));
  const report = await auditCircle({
    store: office.store,
    circle: office.circle,
    verifyConsent,
    historyOf: async (id) => {
      const entry = entries.get(id);
      return entry === undefined ? undefined : historyOf(office, entry);
    },
    onReport: (one) => show(output, one, true),
  });
  output.object(report);
  for (const { code, key } of report.findings) output.line(`${key}: ${findingCodes[code]} (${code})`);
  output.line(summary(report.cases, report.inconsistent.length, report.findings.length));
  return report.verdict === 'inconsistent' ? exitCodes.failed : undefined;
}

async function auditEntry(
  office: OfficeConnection,
  entry: CaseEntry,
  verifyConsent: ConsentVerifier,
  file: string | undefined,
): Promise<AuditReport> {
  const caseKey = { circle: entry.circle, case: entry.case };
  const history = file === undefined ? await historyOf(office, entry) : historyFromFile(file);
  return auditCase({ store: office.store, caseKey, history, verifyConsent });
}

/** The events of every run of a case: from the service while it has them, else as they were kept at the end. */
async function historyOf(office: OfficeConnection, entry: CaseEntry): Promise<HistoryEvent[] | undefined> {
  const events: HistoryEvent[] = [];
  for (let run = 0; run <= runOf(entry.execution); run += 1) {
    const name = executionName(entry.case, run);
    events.push(...((await fromService(office, name)) ?? (await fromCaseFile(office, entry, name)) ?? []));
  }
  return events.length === 0 ? undefined : events;
}

async function fromService(office: OfficeConnection, name: string): Promise<HistoryEvent[] | undefined> {
  const arn = `${office.file.machine.replace(':stateMachine:', ':execution:')}:${name}`;
  try {
    return await readHistory(office.sfn, arn);
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}

/** A run's events as they were kept in the case file when it ended. */
export async function fromCaseFile(
  office: CaseSource,
  entry: CaseEntry,
  name: string,
): Promise<HistoryEvent[] | undefined> {
  const kept = await office.store.find(layout.history(entry, name));
  return kept === undefined
    ? undefined
    : historySchema.parse(JSON.parse(new TextDecoder().decode(kept.bytes)));
}

function historyFromFile(file: string): HistoryEvent[] {
  try {
    return historySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new CaregateError(
      'INVALID_INPUT',
      `file \`${file}\` is not an execution history; save what GetExecutionHistory gives`,
      {
        cause,
      },
    );
  }
}

function show(output: Output, report: AuditReport, brief: boolean): void {
  output.object(report);
  if (brief && report.verdict === 'consistent')
    output.line(`${report.case}  consistent  ${report.objects} objects`);
  else output.line(`${timelineOf(report)}\n`);
}

function summary(cases: number, inconsistent: number, stray: number): string {
  if (inconsistent === 0 && stray === 0) return `${cases} cases, all consistent`;
  return `${cases} cases, ${inconsistent} inconsistent, ${stray} things that belong to no case`;
}
