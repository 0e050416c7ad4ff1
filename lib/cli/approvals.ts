import type { ApprovalView } from '../approval/entry.ts';
import { mailedLinks } from '../local/outboxcodes.ts';
import { linkOf } from './casereport.ts';
import { columns, createOutput } from './output.ts';
import { type CommonOptions, withOffice } from './session.ts';

/** What is told of a request: nothing of its codes, nor of who tried which. */
const shown = ['id', 'kind', 'case', 'action', 'tool', 'callDigest', 'expires', 'need', 'approvals'] as const;

/** Lists what waits for a person, the soonest to end first, with the link of this machine's outbox. */
export async function approvals(options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  await withOffice(options, async ({ office, outbox }) => {
    const open = await office.register.listOpen(office.circle);
    const links = await mailedLinks(outbox);
    const urlOf = (view: ApprovalView): string | undefined => linkOf(links, view.id)?.url;
    for (const view of open) {
      output.object({ ...Object.fromEntries(shown.map((field) => [field, view[field]])), url: urlOf(view) });
    }
    if (open.length === 0) {
      output.line('Nothing waits for a person.');
      return;
    }
    const rows = open.map((view) => [view.id, view.kind, view.tool, view.case, minuteOf(view.expires)]);
    for (const line of columns([['ID', 'KIND', 'TOOL', 'CASE', 'ENDS (UTC)'], ...rows])) output.line(line);
    output.line();
    for (const view of open) output.line(`  ${urlOf(view) ?? view.id}`);
    output.line('The codes are in the mails. Decide on the page, or: npx caregate approve ID --code N');
  });
}

/** An ISO instant to the minute. */
function minuteOf(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}
