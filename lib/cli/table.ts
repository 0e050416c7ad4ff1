import { reasonCodes } from '../policy/decision.ts';
import type { ActionReport, CaseReport } from './casereport.ts';
import { columns } from './output.ts';

export interface NamedReport {
  readonly name: string;
  readonly report: CaseReport;
}

/** The result table: mail, category, action, decision and why, effect or what it waits for. */
export function resultTable(reports: readonly NamedReport[]): string[] {
  if (reports.length === 0) return ['No mail yet.'];
  const rows = reports.flatMap(({ name, report }) => rowsOf(name, report));
  const [head = '', ...body] = columns([['MAIL', 'CATEGORY', 'ACTION', 'DECISION', 'RESULT'], ...rows]);
  return ['', head, ...body, ...approvalLines(reports), ...reasonLines(reports)];
}

function rowsOf(name: string, report: CaseReport): string[][] {
  const category = report.category ?? '–';
  if (report.actions.length === 0) return [[name, category, '–', report.reason, report.status]];
  return report.actions.map((action, at) => [
    at === 0 ? name : '',
    at === 0 ? category : '',
    action.tool,
    `${action.decision} ${action.reason}`,
    resultOf(action),
  ]);
}

function resultOf(action: ActionReport): string {
  if (action.effect === undefined) return action.status;
  const place = action.effect.key.replace(/^circles\/[^/]+\/effects\//, '');
  return `${action.status} ${place}`;
}

function approvalLines(reports: readonly NamedReport[]): string[] {
  const waiting = reports.flatMap(({ report }) => report.approvals);
  if (waiting.length === 0) return [];
  const lines = waiting.flatMap(({ id, url, code }) => [
    `  ${url ?? id}`,
    code === undefined
      ? '  the code is in the mail'
      : `  code ${code} · or: npx caregate approve ${id} --code ${code}`,
  ]);
  return ['', 'Waiting for a person:', ...lines];
}

function reasonLines(reports: readonly NamedReport[]): string[] {
  const used = new Set(reports.flatMap(({ report }) => report.actions.map((action) => action.reason)));
  const known = Object.entries(reasonCodes).filter(([code]) => used.has(code));
  if (known.length === 0) return [];
  return ['', 'Why:', ...columns(known.map(([code, text]) => [`  ${code}`, text]))];
}
