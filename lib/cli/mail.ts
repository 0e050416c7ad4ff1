import type { CaseId } from '../provenance/identifiers.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { createOutput } from './output.ts';
import { post, readPosting } from './posting.ts';
import { type CommonOptions, withOffice } from './session.ts';
import { settle } from './settling.ts';
import { resultTable } from './table.ts';

/** Hands mails to the office and reports each case as soon as all of them are closed or wait for a person. */
export async function mail(files: readonly string[], options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const postings = await Promise.all(files.map(readPosting));
  await withOffice(options, async (session) => {
    const { inbox } = loadConnectionCircle(options.data);
    const cases: CaseId[] = [];
    for (const posting of postings) {
      output.progress(`handing over ${posting.name}`);
      cases.push(await post(session.office, inbox, posting));
    }
    const reports = await settle(session, cases);
    const named = reports.map((report, at) => ({ name: postings[at]?.name ?? report.case, report }));
    for (const { name, report } of named) output.object({ mail: name, ...report });
    for (const line of resultTable(named)) output.line(line);
  });
}
