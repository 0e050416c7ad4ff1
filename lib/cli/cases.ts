import { mailedLinks } from '../local/outboxcodes.ts';
import { reportCase } from './casereport.ts';
import { columns, createOutput } from './output.ts';
import { type CommonOptions, withOffice } from './session.ts';

/** Lists the cases, the newest first. */
export async function cases(options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  await withOffice(options, async ({ office, outbox }) => {
    const entries = await office.index.list(office.circle);
    const links = await mailedLinks(outbox);
    const reports = await Promise.all(entries.map((entry) => reportCase(office, entry, links)));
    for (const [at, report] of reports.entries())
      output.object({ ...report, openedAt: entries[at]?.openedAt });
    if (reports.length === 0) {
      output.line('No case yet. Hand over a mail with `caregate mail FILE.eml`.');
      return;
    }
    const rows = reports.map((report, at) => [
      report.case,
      (entries[at]?.openedAt ?? '').slice(0, 16).replace('T', ' '),
      report.status,
      report.category ?? '–',
      report.actions.map((action) => `${action.tool}: ${action.status}`).join(', ') || report.reason,
    ]);
    for (const line of columns([['CASE', 'OPENED (UTC)', 'STATUS', 'CATEGORY', 'ACTIONS'], ...rows]))
      output.line(line);
  });
}
