import { mailedLinks } from '../local/outboxcodes.ts';
import { linkOf } from './casereport.ts';
import { columns, createOutput } from './output.ts';
import { type CommonOptions, withOffice } from './session.ts';

/** Lists what waits for a person, the soonest to end first, with the link of this machine's outbox. */
export async function approvals(options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  await withOffice(options, async ({ office, outbox }) => {
    const open = await office.register.listOpen(office.circle);
    const links = await mailedLinks(outbox);
    const rows = open.map((view) => {
      const mailed = linkOf(links, view.id);
      return { ...view, url: mailed?.url };
    });
    for (const {
      id,
      kind,
      case: caseId,
      action,
      tool,
      callDigest,
      expires,
      need,
      approvals: given,
      url,
    } of rows) {
      output.object({
        id,
        kind,
        case: caseId,
        action,
        tool,
        callDigest,
        expires,
        need,
        approvals: given,
        url,
      });
    }
    if (rows.length === 0) {
      output.line('Nothing waits for a person.');
      return;
    }
    const body = rows.map((row) => [
      row.id,
      row.kind,
      row.tool,
      row.case,
      row.expires.slice(0, 16).replace('T', ' '),
    ]);
    for (const line of columns([['ID', 'KIND', 'TOOL', 'CASE', 'ENDS (UTC)'], ...body])) output.line(line);
    output.line();
    for (const row of rows) output.line(`  ${row.url ?? row.id}`);
    output.line(
      'The codes are in the mails. Decide on the page, or with `npx caregate approve ID --code N`.',
    );
  });
}
