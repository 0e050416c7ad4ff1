import { html } from 'hono/html';
import type { ApprovalView } from '../approval/entry.ts';
import { longestAnswer, longestReason } from '../approval/entry.ts';
import type { ApprovalRecord } from '../approval/record.ts';
import { dayAndTime, sendingOff, whyAsked } from '../approval/wording.ts';
import type { Circle } from '../provenance/circle.ts';
import { presented } from './presented.ts';
import { type Html, shell } from './shell.ts';

export interface DecisionView {
  readonly link: string;
  readonly person: string;
  readonly circle: Circle;
  readonly view: ApprovalView;
  readonly record: ApprovalRecord;
  /** Whether letters leave. */
  readonly sends: boolean;
  /** What went wrong with the request before, if something did. */
  readonly problem?: Html | undefined;
  /** What a person had typed, so that a wrong code does not cost her the text. */
  readonly typed?: string | undefined;
}

/** The page behind an open link: the exact call or question, and the form. It holds no code. */
export function decisionPage(shown: DecisionView): Html {
  switch (shown.record.kind) {
    case 'question':
      return questionPage(shown);
    case 'release':
      return releasePage(shown);
    case 'approval':
      return approvalPage(shown);
  }
}

function approvalPage(shown: DecisionView): Html {
  const { record, circle, view } = shown;
  const { title } = record.presentation;
  return shell(
    'Please decide',
    html`<h1>${title}?</h1>
${shown.problem ?? ''}
<p>${nameOf(shown)}, Caregate would like to do exactly this for <b>${circle.patient.name}</b>. Nothing is done unless you approve it.</p>
<p>${whyAsked(record.reason)}</p>
${view.need > 1 ? html`<p>${view.need} different people have to approve it; ${view.approvals} did so far.</p>` : ''}
${presented(record.presentation)}
${shown.sends || record.presentation.tool !== 'send_email' ? '' : html`<div class="note"><p>${sendingOff}</p></div>`}
<h2>Your decision</h2>
<form method="post" action="/a/${shown.link}" class="card" autocomplete="off">
${noImplicitSubmission()}
${codeField(shown.problem !== undefined)}
<div class="buttons"><button type="submit" name="choice" value="approve">Approve: do exactly this</button></div>
<div class="part">
<label for="reason">If you decline, you can say why</label>
<textarea id="reason" name="reason" maxlength="${longestReason}" rows="3">${shown.typed ?? ''}</textarea>
<div class="buttons"><button type="submit" name="choice" value="decline" class="second">Decline: do not do it</button></div>
</div>
</form>
${afterForm(shown)}`,
  );
}

function questionPage(shown: DecisionView): Html {
  const { presentation } = shown.record;
  return shell(
    'A question',
    html`<h1>Caregate has a question</h1>
${shown.problem ?? ''}
<p>${nameOf(shown)}, Caregate cannot go on with a mail about <b>${shown.circle.patient.name}</b> without an answer.</p>
<div class="card"><p class="question">${presentation.question?.text ?? presentation.title}</p></div>
${presentation.lines.length === 0 ? '' : presented(presentation)}
<h2>Your answer</h2>
<form method="post" action="/a/${shown.link}" class="card" autocomplete="off">
${noImplicitSubmission()}
<label for="answer">Your answer</label>
<textarea id="answer" name="answer" required maxlength="${longestAnswer}" rows="4">${shown.typed ?? ''}</textarea>
${codeField(shown.problem !== undefined)}
<div class="buttons"><button type="submit" name="choice" value="answer">Send the answer</button></div>
</form>
${afterForm(shown)}`,
  );
}

function releasePage(shown: DecisionView): Html {
  const { record, circle } = shown;
  return shell(
    'A mail in quarantine',
    html`<h1>Read this mail?</h1>
${shown.problem ?? ''}
<p>${nameOf(shown)}, Caregate held back a mail to the inbox for <b>${circle.patient.name}</b>. Nothing in it was read by a model or acted on.</p>
${presented(record.presentation)}
<p>If you release it, it is read like a mail from you. What it says still decides nothing: the rules, and your approvals, do.</p>
<h2>Your decision</h2>
<form method="post" action="/a/${shown.link}" class="card" autocomplete="off">
${noImplicitSubmission()}
${codeField(shown.problem !== undefined)}
<div class="buttons"><button type="submit" name="choice" value="approve">Release it: read the mail</button></div>
<div class="buttons"><button type="submit" name="choice" value="decline" class="second">Leave it in quarantine</button></div>
</form>
${afterForm(shown)}`,
  );
}

/** The Return key presses a form's first button. This one cannot be pressed, so that nobody decides by accident. */
function noImplicitSubmission(): Html {
  return html`<button type="submit" disabled hidden></button>`;
}

function codeField(wrong: boolean): Html {
  return html`<label for="code">Code from the mail to you</label>
<p class="hint" id="code-hint">Six digits. They stand in the mail that this link came with.</p>
<input id="code" name="code" required inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 -]{6,12}" maxlength="12"
 aria-describedby="code-hint"${wrong ? html` aria-invalid="true"` : ''}>`;
}

function afterForm({ link, view, circle }: DecisionView): Html {
  return html`<form method="post" action="/a/${link}/code">
<p>The code is lost, or does not work?</p>
<div class="buttons"><button type="submit" class="second">Mail me a new code</button></div>
</form>
<div class="note">
<p>You can decide until <b>${dayAndTime(view.expires, circle)}</b>. After that it is not done.</p>
<p>Whoever has the mail with the link and the code can decide in your name. Please do not forward it.</p>
<p><a href="/a/${link}/case">How it came to this</a></p>
</div>`;
}

function nameOf({ circle, person }: DecisionView): string {
  return circle.people.find(({ id }) => id === person)?.name ?? person;
}
