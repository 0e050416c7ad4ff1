import { mailedLinks } from '../local/outboxcodes.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { type CaseReport, reportCase } from './casereport.ts';
import type { Session } from './session.ts';

const pollEvery = 100;

/**
 * Waits until each case is closed, set aside, or waits for a person, and reports them in the order given.
 * @param execution a run that has to have begun, where a case was settled before it
 */
export async function settle(
  session: Session,
  cases: readonly CaseId[],
  execution?: string,
): Promise<CaseReport[]> {
  for (;;) {
    const reports = await reportAll(session, cases, execution);
    if (reports.every((report) => report !== undefined && report.status !== 'open')) {
      return reports.filter((report) => report !== undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
  }
}

async function reportAll(
  session: Session,
  cases: readonly CaseId[],
  execution?: string,
): Promise<(CaseReport | undefined)[]> {
  const links = await mailedLinks(session.outbox);
  return Promise.all(
    cases.map(async (id) => {
      const entry = await session.office.index.find({ circle: session.office.circle, case: id });
      const begun = execution === undefined || entry?.execution === execution;
      return entry === undefined || !begun ? undefined : reportCase(session.office, entry, links);
    }),
  );
}
