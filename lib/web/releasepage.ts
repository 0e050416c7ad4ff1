import { html } from 'hono/html';
import type { SmokeRecord } from '../release/smokerecord.ts';
import { type Html, message, shell } from './shell.ts';

/** How the smoke test of the running release ended: which invented mail led to what, and whether the audit agrees. */
export function releasePage(record: SmokeRecord): Html {
  const { passed, failures, mails, commit, at } = record;
  const verdict = passed
    ? html`<div class="good" role="status"><p>Every sample ended as it should, and the audit agrees.</p></div>`
    : html`<div class="warn" role="alert"><p>This release did not pass:</p><ul>${failures.map((failure) => html`<li>${failure}</li>`)}</ul></div>`;
  return shell(
    'Release',
    html`<h1>Release</h1>
<p class="exact">Commit ${commit}, tested ${at}</p>
${verdict}
<div class="card"><ul class="plain">${mails.map(mailLine)}</ul></div>`,
  );
}

function mailLine({ name, status, audit, actions }: SmokeRecord['mails'][number]): Html {
  const lines = actions.map((action) => html`<br>${action.tool}: ${action.decision}, ${action.status}`);
  return html`<li><b>${name}</b>: ${status}, audit ${audit}<span class="exact">${lines}</span></li>`;
}

/** No smoke test was kept for what runs. */
export function untestedPage(): Html {
  return message(
    'No release',
    'note',
    html`<p>No smoke test is kept for the commit that runs. It is made after a deployment.</p>`,
  );
}
