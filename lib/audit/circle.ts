import type { ObjectStore } from '../casefile/store.ts';
import type { ConsentVerifier } from '../policy/consent.ts';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';
import { readClaims } from './claims.ts';
import type { AuditFinding } from './finding.ts';
import type { HistoryEvent } from './history.ts';
import { type AuditReport, auditCase } from './verdict.ts';

export interface CircleAuditParts {
  readonly store: ObjectStore;
  readonly circle: CircleId;
  readonly verifyConsent: ConsentVerifier;
  /** The histories of one case's executions, where there are any. */
  readonly historyOf: (caseId: CaseId) => Promise<readonly HistoryEvent[] | undefined>;
  /** Told of each case as soon as it was audited. */
  readonly onReport?: (report: AuditReport) => void;
}

export interface CircleReport {
  readonly circle: CircleId;
  readonly verdict: AuditReport['verdict'];
  readonly cases: number;
  /** The cases that do not agree. */
  readonly inconsistent: readonly CaseId[];
  /** What belongs to no case. */
  readonly findings: readonly AuditFinding[];
}

/** Audits every case of a circle, and that nothing lies in its folders of effects that no case accounts for. */
export async function auditCircle(parts: CircleAuditParts): Promise<CircleReport> {
  const { store, circle, verifyConsent, historyOf } = parts;
  const { cases, unclaimed } = await readClaims(store, circle);
  const inconsistent: CaseId[] = [];
  for (const id of cases) {
    const caseKey = { circle, case: id };
    const history = await historyOf(id);
    const report = await auditCase({ store, caseKey, history, verifyConsent, folders: 'elsewhere' });
    if (report.verdict === 'inconsistent') inconsistent.push(id);
    parts.onReport?.(report);
  }
  const findings = unclaimed.map((key): AuditFinding => ({ code: 'EFFECT_UNCLAIMED', key }));
  const verdict = inconsistent.length + findings.length === 0 ? 'consistent' : 'inconsistent';
  return { circle, verdict, cases: cases.length, inconsistent, findings };
}
