import { endingWords } from '../approval/wording.ts';
import { type ActionRecord, readActions } from '../casefile/actions.ts';
import type { CaseEntry } from '../casefile/caseindex.ts';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { type CaseRecord, caseRecordSchema, type OutcomeRecord } from '../casefile/schemas.ts';
import type { OfficeConnection } from '../local/connection.ts';
import { mailedLinks } from '../local/outboxcodes.ts';
import { consentSchema } from '../policy/consent.ts';
import { reasonCodes } from '../policy/decision.ts';
import { catalogue } from '../proposal/catalogue.ts';
import { findCase } from './caselookup.ts';
import { type CaseReport, reportCase } from './casereport.ts';
import { createOutput, type Output } from './output.ts';
import { type CommonOptions, withOffice } from './session.ts';

/** Tells the story of one case in words: who sent it, what was proposed, what was decided and why, what came of it. */
export async function why(given: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  await withOffice(options, async ({ office, outbox }) => {
    const entry = await findCase(office, given);
    const report = await reportCase(office, entry, await mailedLinks(outbox));
    const record = await findRecord(office.store, layout.case(entry), caseRecordSchema);
    output.object({ ...report, judgement: record?.judgement, openedAt: entry.openedAt });
    opening(output, entry, report, record);
    for (const action of await readActions(office.store, entry))
      await tellAction(output, office, entry, action, report);
    ending(output, report);
  });
}

function opening(output: Output, entry: CaseEntry, report: CaseReport, record: CaseRecord | undefined): void {
  const sender = record?.judgement.sender;
  const from =
    sender === undefined
      ? 'a sender that is not verified'
      : `${sender.list === 'people' ? 'person' : 'contact'} ${sender.id}`;
  output.line(`Case ${entry.case}`);
  output.line(`  A mail from ${from} was taken up on ${entry.openedAt.slice(0, 16).replace('T', ' ')} UTC.`);
  output.line(
    `  It was judged ${record?.judgement.standing ?? entry.status} (${record?.judgement.reason ?? entry.reason}).`,
  );
  if (report.category !== undefined) output.line(`  The model said that it is about: ${report.category}.`);
}

async function tellAction(
  output: Output,
  office: OfficeConnection,
  entry: CaseEntry,
  { action, proposal, decision, outcome }: ActionRecord,
  report: CaseReport,
): Promise<void> {
  if (proposal === undefined) return;
  output.line();
  output.line(`  ${action}. The model proposed ${proposal.tool}: ${catalogue[proposal.tool].says}`);
  if (decision === undefined) return;
  const { outcome: decided, reason, deciding, consent } = decision.decision;
  output.line(
    `     The rules said ${decided}: ${reasonCodes[reason]} (${reason}; ${deciding.join(', ') || 'no rule'}).`,
  );
  if (consent !== undefined) {
    const people = await consenting(office, entry, action);
    const given = people.length === 0 ? 'nobody has approved so far' : `approved by ${people.join(', ')}`;
    output.line(`     It needs ${consent.people} of ${consent.roles.join(' or ')}; ${given}.`);
  }
  const shown = report.actions.find((candidate) => candidate.action === action);
  if (outcome !== undefined) output.line(`     It ended ${outcome.status}${whyRefused(outcome, reason)}.`);
  else if (shown !== undefined) output.line('     It waits.');
  if (shown?.effect !== undefined)
    output.line(`     Effect: ${shown.effect.key}, SHA-256 ${shown.effect.sha256}, read back.`);
}

/** Said where the decision above does not say it: it was made anew when the action was to be done. */
function whyRefused(outcome: OutcomeRecord, decided: string): string {
  const isSaid = outcome.status !== 'refused' || outcome.reason === decided;
  return isSaid ? '' : `: ${endingWords(outcome)} (${outcome.reason})`;
}

async function consenting(office: OfficeConnection, entry: CaseEntry, action: number): Promise<string[]> {
  const keys = await office.store.list(layout.consents(entry, action));
  const found = await Promise.all(keys.map((key) => findRecord(office.store, key, consentSchema)));
  return found.flatMap((consent) => (consent === undefined ? [] : [consent.person]));
}

function ending(output: Output, report: CaseReport): void {
  output.line();
  output.line(`  The case is ${report.status} (${report.reason}).`);
  for (const { id, url } of report.approvals) output.line(`  Decide here: ${url ?? id}`);
  if (['parked', 'deferred', 'quarantined', 'failed'].includes(report.status)) {
    output.line(`  To take it up again: caregate resume ${report.case}`);
  }
}
