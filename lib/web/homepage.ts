import { html } from 'hono/html';
import { type ApprovalView, statusAt } from '../approval/entry.ts';
import { askedTitles, caseReason, dayAndTime, sendingOff } from '../approval/wording.ts';
import type { CaseEntry } from '../casefile/caseindex.ts';
import type { Circle } from '../provenance/circle.ts';
import type { PageDeps } from './deps.ts';
import { type Html, shell } from './shell.ts';
import { troubleNotes } from './troubles.ts';

/** What this is; and where cases are listed, what waits and what there is. No link and no code stand here. */
export async function homePage(deps: PageDeps, listed: boolean): Promise<Html> {
  const lists = listed ? await Promise.all(deps.circles.map((circle) => listOf(deps, circle))) : [];
  const troubles = listed ? (deps.troubles?.() ?? []) : [];
  return shell(
    'Home',
    html`${troubleNotes(troubles, deps.circles[0])}${deps.sending === 'off' ? html`<div class="note"><p>${sendingOff}</p></div>` : ''}<h1>What this is</h1>
<p>You forward mails about somebody’s care: letters about appointments, referrals, records, receipts. Caregate reads them and
proposes what to do. What is safe by your household’s rules it does; for the rest it asks one of you, by mail, to approve
exactly what it would do.</p>
<p>To decide, open the link in the mail that asks you, and type the code that stands in the same mail.</p>
${lists}`,
  );
}

async function listOf(deps: PageDeps, circle: Circle): Promise<Html> {
  const [open, cases] = await Promise.all([deps.register.listOpen(circle.id), deps.index.list(circle.id)]);
  const waiting = open.filter((view) => statusAt(view, deps.clock.now()) === 'open');
  return html`<h2>Waits for a person</h2>
${waiting.length === 0 ? html`<p>Nothing waits.</p>` : html`<div class="card"><ul class="plain">${waiting.map((view) => waitingLine(view, circle))}</ul></div>`}
<h2>Mails</h2>
${cases.length === 0 ? html`<p>No mail came in yet.</p>` : html`<div class="card"><ul class="plain">${cases.slice(0, mostListed).map((entry) => caseLine(entry, circle))}</ul></div>`}`;
}

const mostListed = 200;

function waitingLine({ tool, people, expires, case: id }: ApprovalView, circle: Circle): Html {
  const names = Object.keys(people).map(
    (person) => circle.people.find((known) => known.id === person)?.name ?? person,
  );
  return html`<li><b>${askedTitles[tool]}</b><br>${names.join(' or ')}, until ${dayAndTime(expires, circle)}
<br><a href="/case/${id}">the case</a></li>`;
}

function caseLine({ case: id, category, status, reason, openedAt }: CaseEntry, circle: Circle): Html {
  return html`<li><a href="/case/${id}">${category?.replaceAll('_', ' ') ?? 'a mail'}</a>, ${dayAndTime(openedAt, circle)}
<br><span class="exact">${standing(status, reason)}</span></li>`;
}

/** How a case stands, in words. */
function standing(status: CaseEntry['status'], reason: string): string {
  switch (status) {
    case 'open':
      return 'under way, or waits for a person';
    case 'closed':
    case 'released':
      return status;
    default:
      return `${status}: ${caseReason(reason)}`;
  }
}
