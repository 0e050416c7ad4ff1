import { CaregateError } from '../errors.ts';
import { type KnownLinks, mailedLinks } from '../local/outboxcodes.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { type CaseReport, type CaseSource, isMailed, reportCase } from './casereport.ts';

/** The cases to wait for, and the outbox that codes are read from, where there is one on this machine. */
interface Waiting {
  readonly office: CaseSource;
  readonly outbox: string;
}

/** How long to wait between two looks, in milliseconds. */
const pollEvery = 200;

/** How often to look while nothing comes to rest, before it is said so: five minutes. */
const patience = 1500;

/**
 * Waits until each case is closed, set aside, or waits for a person, and reports them in the order given.
 * @param execution a run that has to have begun, where a case was settled before it
 * @throws CaregateError `CASE_STUCK` if for five minutes none of them came to rest
 */
export async function settle(
  session: Waiting,
  cases: readonly CaseId[],
  execution?: string,
): Promise<CaseReport[]> {
  const settled = new Map<CaseId, CaseReport>();
  const wanted = new Set(cases);
  const known: KnownLinks = new Map();
  for (let looks = 0; settled.size < wanted.size; looks += 1) {
    const before = settled.size;
    const candidates = await stoppedCases(session, execution);
    for (const id of wanted) {
      if (settled.has(id) || !candidates.has(id)) continue;
      const report = await reportOf(session, id, known);
      if (report !== undefined && report.status !== 'open') settled.set(id, report);
    }
    if (settled.size > before) looks = 0;
    if (looks > patience) throw stuck(cases.find((id) => !settled.has(id)) ?? '');
    if (settled.size < wanted.size) await new Promise((resolve) => setTimeout(resolve, pollEvery));
  }
  return cases.flatMap((id) => settled.get(id) ?? []);
}

function stuck(id: string): CaregateError {
  return new CaregateError(
    'CASE_STUCK',
    `case \`${id}\` neither ends nor waits for a person; look at \`caregate why ${id}\` and at the log of the office`,
  );
}

/** Cases that may have come to rest, by the two lists alone: a case file is read only once it is worth it. */
async function stoppedCases({ office }: Waiting, execution: string | undefined): Promise<Set<CaseId>> {
  const [entries, open] = await Promise.all([
    office.index.list(office.circle),
    office.register.listOpen(office.circle),
  ]);
  const asked = new Set(open.filter(isMailed).map((view) => view.case));
  const stopped = entries.filter(
    (entry) =>
      (execution === undefined || entry.execution === execution) &&
      (entry.status !== 'open' || asked.has(entry.case)),
  );
  return new Set(stopped.map((entry) => entry.case));
}

async function reportOf(
  { office, outbox }: Waiting,
  id: CaseId,
  known: KnownLinks,
): Promise<CaseReport | undefined> {
  const entry = await office.index.find({ circle: office.circle, case: id });
  return entry === undefined ? undefined : reportCase(office, entry, await mailedLinks(outbox, known));
}
