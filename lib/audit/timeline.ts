import type { ActionDossier, Dossier } from './dossier.ts';
import { findingCodes } from './finding.ts';
import type { AuditReport } from './verdict.ts';

/** One thing that happened. Ids and codes only, so that a timeline can be shown to anyone who may know of the case. */
export interface TimelineEntry {
  /** ISO instant. */
  readonly at: string;
  readonly action?: number | undefined;
  readonly what: string;
}

/** What happened in a case, by its records, in the order of their times. */
export function timelineEntries(dossier: Dossier): TimelineEntry[] {
  const { record, actions, receipts, closings } = dossier;
  const entries: TimelineEntry[] = [
    ...(record === undefined ? [] : [opened(record)]),
    ...actions.flatMap(actionEntries),
    ...receipts.map(({ receipt }) => ({
      at: receipt.at,
      action: receipt.action,
      what: `effect read back: ${receipt.status}, receipt ${receipt.number}, ${receipt.key}, SHA-256 ${receipt.sha256}`,
    })),
    ...closings.map(({ closing }) => ({
      at: closing.at,
      what: `run ${closing.execution} ended ${closing.status} (${closing.reason})`,
    })),
  ];
  // The sort is stable: what has one time stays in the order in which it is done.
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function opened({ openedAt, judgement, message }: NonNullable<Dossier['record']>): TimelineEntry {
  const { standing, reason, sender } = judgement;
  const from = sender === undefined ? '' : `, sender ${sender.id} of ${sender.list}`;
  return { at: openedAt, what: `mail ${message} judged ${standing} (${reason}${from})` };
}

function actionEntries({ action, proposal, decision, consents, ...effect }: ActionDossier): TimelineEntry[] {
  const { intent, attempt, sent, rejected, outcome } = effect;
  const entry = (at: string, what: string): TimelineEntry => ({ at, action, what });
  const tool = proposal?.tool ?? 'a tool';
  return [
    ...(decision === undefined ? [] : [entry(decision.at, `${tool} decided ${decided(decision.decision)}`)]),
    ...consents.map(({ consent }) =>
      entry(consent.decidedAt, `${consent.person} consented to ${consent.callDigest}`),
    ),
    ...(intent === undefined ? [] : [entry(intent.createdAt, `${tool} intended at ${intent.key}`)]),
    ...(attempt === undefined ? [] : [entry(attempt.at, 'the letter is handed to the mail service')]),
    ...(sent === undefined ? [] : [entry(sent.at, `the mail service took it as ${sent.messageId}`)]),
    ...(rejected === undefined ? [] : [entry(rejected.at, `the mail service refused it: ${rejected.error}`)]),
    ...(outcome === undefined
      ? []
      : [entry(outcome.at, `${tool} ended ${outcome.status} (${outcome.reason})`)]),
  ];
}

function decided(decision: NonNullable<ActionDossier['decision']>['decision']): string {
  const { outcome, reason, deciding, callDigest } = decision;
  return `${outcome} (${reason}) by ${deciding.join(', ') || 'no rule'}, call ${callDigest}`;
}

/** The report as a text that a person can read: what happened, what was checked, what does not agree. */
export function timelineOf(report: AuditReport): string {
  const lines = [
    `Case ${report.case} of ${report.circle}: ${report.verdict}`,
    '',
    ...report.timeline.map(
      ({ at, action, what }) => `${at}  ${action === undefined ? '' : `action ${action}: `}${what}`,
    ),
    '',
    `${report.objects} objects were read and digested; ${report.historyRead ? 'the' : 'no'} execution history was read.`,
    ...report.steps.map(
      ({ name, findings }) => `  ${name}: ${findings === 0 ? 'agrees' : `${findings} found`}`,
    ),
  ];
  if (report.findings.length > 0) lines.push('', 'What does not agree:');
  for (const { code, key, action, expected, found } of report.findings) {
    lines.push(`  ${code}: ${findingCodes[code]}`);
    lines.push(`    ${key}${action === undefined ? '' : `, action ${action}`}`);
    if (expected !== undefined) lines.push(`    recorded ${expected}`);
    if (found !== undefined) lines.push(`    found    ${found}`);
  }
  return `${lines.join('\n')}\n`;
}
