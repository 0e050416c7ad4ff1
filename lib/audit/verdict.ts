import type { CaseId, CircleId } from '../provenance/identifiers.ts';
import { checkHistory } from './agreement.ts';
import { checkAuthority } from './authority.ts';
import { checkContents } from './contents.ts';
import { checkCalls, checkDecisions, checkPolicies } from './decisions.ts';
import { checkFolders, checkIntents, checkLetters, checkVersions } from './effects.ts';
import { type AuditParts, beginExamination, type Examination } from './examination.ts';
import type { AuditFinding } from './finding.ts';
import { checkChain, checkOutcomes, checkReceipts } from './receipts.ts';
import { checkDocuments, checkMail } from './records.ts';
import { type TimelineEntry, timelineEntries } from './timeline.ts';

type Check = (examination: Examination) => void | Promise<void>;

/** What an audit looks at, in this order: later steps build on what earlier ones rebuilt. */
const steps: readonly (readonly [name: string, check: Check])[] = [
  ['mail', checkMail],
  ['documents', checkDocuments],
  ['policies', checkPolicies],
  ['calls', checkCalls],
  ['decisions', checkDecisions],
  ['authority', checkAuthority],
  ['intents', checkIntents],
  ['contents', checkContents],
  ['letters', checkLetters],
  ['chain', checkChain],
  ['receipts', checkReceipts],
  ['outcomes', checkOutcomes],
  ['history', checkHistory],
  ['folders', checkFolders],
  ['versions', checkVersions],
];

export interface AuditReport {
  readonly circle: CircleId;
  readonly case: CaseId;
  readonly verdict: 'consistent' | 'inconsistent';
  readonly findings: readonly AuditFinding[];
  /** Every step that was taken, and how many things it found. */
  readonly steps: readonly { readonly name: string; readonly findings: number }[];
  /** How many objects were read and digested. */
  readonly objects: number;
  /** Whether an execution history was there to be compared. */
  readonly historyRead: boolean;
  readonly timeline: readonly TimelineEntry[];
}

/**
 * Audits one case: reads its file afresh, recomputes every digest, rebuilds every call, takes every decision again,
 * and holds that each effect was authorized, is what was intended, and is all there is. Nothing is written.
 * @throws CaregateError `STORE_UNAVAILABLE`: an audit that could not look says nothing
 */
export async function auditCase(parts: AuditParts): Promise<AuditReport> {
  const examination = await beginExamination(parts);
  const { dossier } = examination;
  const taken: { name: string; findings: number }[] = [];
  let before = 0;
  for (const [name, check] of steps) {
    await check(examination);
    const findings = examination.findings.length;
    taken.push({ name, findings: findings - before });
    before = findings;
  }
  const { findings } = examination;
  return {
    circle: dossier.key.circle,
    case: dossier.key.case,
    verdict: findings.length === 0 ? 'consistent' : 'inconsistent',
    findings,
    steps: taken,
    objects: dossier.objects.size,
    historyRead: parts.history !== undefined,
    timeline: timelineEntries(dossier),
  };
}
