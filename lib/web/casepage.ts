import { html } from 'hono/html';
import {
  argumentLabels,
  caseReason,
  dayAndTime,
  endingWords,
  sendingOff,
  statusWords,
  toolTitles,
  visible,
} from '../approval/wording.ts';
import { reasonCodes } from '../policy/decision.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Html, shell } from './shell.ts';
import type { ActionStory, CaseStory } from './story.ts';

/** The story of one case: what came, what was proposed, how it was decided and why, and what was done. */
export function casePage(story: CaseStory, circle: Circle, sends: boolean): Html {
  const { key, opened, triage, actions, parked, unread, readers } = story;
  return shell(
    'A case',
    html`<h1>How a mail was dealt with</h1>
<div class="card"><dl>
${row('Case', html`<code>${key.case}</code>`)}
${opened === undefined ? '' : row('Came in', dayAndTime(opened.openedAt, circle))}
${opened === undefined ? '' : row('Sender', senderOf(opened.judgement, circle))}
${triage === undefined ? '' : row('What it is about', triage.category.replaceAll('_', ' '))}
${readers.length === 0 ? '' : row('Read by', html`<span class="exact">${readers.map(({ stage, models }) => `${stage}: ${models.join(', ')}`).join('; ')}</span>`)}
</dl></div>
${actions.length === 0 ? nothingProposed(opened) : actions.map((action) => actionCard(action, circle))}
${sends || !actions.some(({ outcome }) => outcome?.status === 'sent') ? '' : html`<div class="note"><p>${sendingOff}</p></div>`}
${unreadCard(unread)}
${parked.map((stop) => html`<div class="warn"><p>It stopped on ${dayAndTime(stop.at, circle)}: ${caseReason(stop.reason)}.</p></div>`)}`,
  );
}

/** Why a case has no action, where its mail was not read at all. */
function nothingProposed(opened: CaseStory['opened']): Html {
  const reason = caseReason(opened?.judgement.reason ?? '');
  switch (opened?.judgement.standing) {
    case 'quarantined':
      return html`<div class="note"><p>It is held back: ${reason}. Caregate did not act on it. If it can be released, the link
for that is in the mail about what is in quarantine.</p></div>`;
    case 'ignored':
      return html`<div class="note"><p>It is listed, and nothing was done with it: ${reason}.</p></div>`;
    case 'deferred':
      return html`<div class="note"><p>It waits until later: ${reason}.</p></div>`;
    default:
      return html`<p>Nothing was proposed.</p>`;
  }
}

/** What a person has to look at, since nothing here could read it. */
function unreadCard(unread: CaseStory['unread']): Html {
  if (unread.length === 0) return html``;
  return html`<h2>What could not be read</h2>
<div class="card"><dl>
${unread.map(({ name, why }) => row(visible(name), why))}
</dl><p>Please look at it in the mail itself.</p></div>`;
}

function actionCard(action: ActionStory, circle: Circle): Html {
  const { decision, outcome, proposal } = action;
  const title = proposal === undefined ? 'Something that was not understood' : toolTitles[proposal.tool];
  return html`<h2>${action.action}. ${title}</h2>
<div class="card"><dl>
${action.what.map(({ name, value }) => row(argumentLabels[name] ?? name, html`<span dir="auto">${visible(value)}</span>`))}
${decision === undefined ? '' : row('Decision', decisionOf(decision.decision))}
${peopleRows(action, circle)}
${proposal?.tool === 'no_further_action' ? '' : row('How it stands', outcome === undefined ? standing(decision) : endingWords(outcome))}
${action.receipt === undefined ? '' : row('Effect', html`<code>${action.receipt.key}</code><br><span class="exact">SHA-256 <code>${action.receipt.sha256}</code></span>`)}
</dl></div>`;
}

function peopleRows({ approval, consents, decline, answer }: ActionStory, circle: Circle): Html {
  const name = (id: string) => circle.people.find((person) => person.id === id)?.name ?? id;
  return html`${approval === undefined ? '' : row('Asked', `${approval.people.map(name).join(', ')}, ${dayAndTime(approval.requestedAt, circle)}`)}
${consents.map((consent) => row('Approved', `${name(consent.person)}, ${dayAndTime(consent.decidedAt, circle)}`))}
${decline === undefined ? '' : row('Declined', `${name(decline.person)}, ${dayAndTime(decline.at, circle)}${decline.reason === undefined ? '' : `: “${decline.reason}”`}`)}
${answer === undefined ? '' : row('Answered', `${name(answer.person)}, ${dayAndTime(answer.at, circle)}: “${answer.text}”`)}`;
}

/** What an action without an end is doing. */
function standing(decision: ActionStory['decision']): string {
  return decision?.decision.outcome === 'REQUIRE_HUMAN' ? statusWords.awaiting : 'not finished';
}

function decisionOf({ outcome, reason, deciding }: NonNullable<ActionStory['decision']>['decision']): Html {
  const words = { ALLOW: 'allowed', DENY: 'refused', REQUIRE_HUMAN: 'a person is asked' }[outcome];
  const rules = deciding.length === 0 ? '' : html` <span class="exact">(${deciding.join(', ')})</span>`;
  return html`${words}: ${reasonCodes[reason]}${rules}`;
}

function senderOf({ sender, reason }: NonNullable<CaseStory['opened']>['judgement'], circle: Circle): string {
  const entry = sender === undefined ? undefined : circle[sender.list].find(({ id }) => id === sender.id);
  return entry === undefined ? caseReason(reason) : `${entry.name}, verified`;
}

function row(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}
