import { html } from 'hono/html';
import type { Decided } from '../approval/decide.ts';
import type { ApprovalView } from '../approval/entry.ts';
import { dayAndTime } from '../approval/wording.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Html, message } from './shell.ts';

/** The page after a choice took effect. */
export function donePage({ status, kind }: Decided, link: string): Html {
  if (kind === 'release') return releasedPage(status === 'approved');
  const more = html`<p><a href="/a/${link}/case">See what becomes of it</a></p>`;
  switch (status) {
    case 'approved':
      return message(
        'You approved it',
        'good',
        html`<p>Caregate now does exactly what you saw, once. You can close this page.</p>${more}`,
      );
    case 'pending':
      return message(
        'You approved it',
        'good',
        html`<p>Your approval is recorded. Somebody else has to approve it too before it is done.</p>${more}`,
      );
    case 'declined':
      return message(
        'You declined it',
        'good',
        html`<p>It is not done, and nobody is asked again for it. You can close this page.</p>${more}`,
      );
    case 'answered':
      return message(
        'Thank you for the answer',
        'good',
        html`<p>Caregate goes on with the mail. You can close this page.</p>${more}`,
      );
    case 'expired':
      return tooLatePage(link);
  }
}

function releasedPage(released: boolean): Html {
  return released
    ? message('You released it', 'good', html`<p>Caregate reads the mail now. You can close this page.</p>`)
    : message(
        'It stays in quarantine',
        'good',
        html`<p>Nobody is asked again for it. You can close this page.</p>`,
      );
}

/** The page of a choice that nobody waited for any more. */
export function tooLatePage(link: string): Html {
  return message(
    'Too late',
    'warn',
    html`<p>The time to decide was over, so nothing is done.</p><p><a href="/a/${link}/case">See how it ended</a></p>`,
  );
}

/** The page of a link that is decided: what was decided, by whom and when. */
export function closedPage(view: ApprovalView, circle: Circle, link: string): Html {
  const more = html`<p><a href="/a/${link}/case">See what became of it</a></p>`;
  if (view.status !== 'decided') return tooLatePage(link);
  if (view.callback === 'refused') {
    return message(
      'Too late',
      'warn',
      html`<p>It was decided, but the case no longer waited for it. Nothing was done.</p>${more}`,
    );
  }
  const verdict = { approved: 'approved', declined: 'declined', answered: 'answered' }[
    view.verdict ?? 'answered'
  ];
  const who = Object.entries(view.people)
    .filter(([, stand]) => stand.choice !== undefined)
    .map(([id]) => circle.people.find((person) => person.id === id)?.name ?? id);
  const when = view.decidedAt === undefined ? '' : `, ${dayAndTime(view.decidedAt, circle)}`;
  return message(
    'Already decided',
    'note',
    html`<p>It was ${verdict} by ${who.join(' and ')}${when}.</p>${more}`,
  );
}

/** The page of a call that names an entry of the circle which was changed or taken out since. */
export function changedPage(link: string): Html {
  return message(
    'This is void',
    'warn',
    html`<p>Your household’s own list was changed since you were asked: whoever or whatever this would go to no longer
stands there as it did. Nothing is done, whoever approves it.</p><p><a href="/a/${link}/case">How it came to this</a></p>`,
  );
}

/** The page of a person who has chosen while others are still asked. */
export function chosenPage(link: string): Html {
  return message(
    'You have approved it',
    'note',
    html`<p>Somebody else has to approve it too.</p><p><a href="/a/${link}/case">See how it stands</a></p>`,
  );
}

export function lockedPage(until: number, circle: Circle): Html {
  return message(
    'Locked for a while',
    'warn',
    html`<p>Five wrong codes were typed, so this link is locked until
<b>${dayAndTime(new Date(until).toISOString(), circle)}</b>. Nothing was decided.</p>
<p>Please open it again then, with the code from the newest mail.</p>`,
  );
}

/** The page of a link that is forged, cut or for something else. It says nothing about what exists. */
export function invalidLinkPage(): Html {
  return message(
    'This link does not work',
    'warn',
    html`<p>It is not whole, or it is not from Caregate. Please open it from the newest mail instead of copying it.</p>`,
  );
}

export function newCodePage(mailed: boolean, link: string): Html {
  const back = html`<p><a href="/a/${link}">Back to the decision</a></p>`;
  return mailed
    ? message(
        'A new code is on its way',
        'good',
        html`<p>It comes by mail to you. The newest code always works.</p>${back}`,
      )
    : message(
        'Please look at your mail',
        'note',
        html`<p>A code was mailed a short while ago, or as many as there may be. The newest mail’s code works.</p>${back}`,
      );
}

export function notFoundPage(): Html {
  return message(
    'Nothing here',
    'note',
    html`<p>There is no such page. Please open the link from your mail.</p>`,
  );
}

export function failurePage(): Html {
  return message(
    'That did not work',
    'warn',
    html`<p>Something failed on our side, and nothing is lost. Please try again in a few minutes.</p>`,
  );
}
