import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { answer, type Decided, decide, requireEntry } from '../approval/decide.ts';
import { lockedUntil, mostWrong, statusAt } from '../approval/entry.ts';
import { mailNewCode } from '../approval/mailing.ts';
import { caseIdSchema } from '../casefile/schemas.ts';
import { circleOfSecret } from '../casefile/subscriptions.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import { newestSmoke } from '../release/smokerecord.ts';
import { casePage } from './casepage.ts';
import { isChanged } from './changed.ts';
import { decisionPage } from './decisionpage.ts';
import type { DecisionDeps, PageDeps } from './deps.ts';
import { homePage } from './homepage.ts';
import { isLocalRequest, withEndings, withHeaders } from './middleware.ts';
import { type Opened, open, presentedRecord } from './opened.ts';
import { releasePage, untestedPage } from './releasepage.ts';
import {
  changedPage,
  chosenPage,
  closedPage,
  donePage,
  failurePage,
  lockedPage,
  newCodePage,
} from './resultpages.ts';
import type { Html } from './shell.ts';
import { readStory } from './story.ts';

/** Longer than any form of ours. */
const longestForm = 64 * 1024;

/** The pages that show. They answer GET alone, and nothing that they are given lets them change anything. */
export function createPages(deps: PageDeps): Hono {
  const app = new Hono();
  withHeaders(app);
  withEndings(app, deps);
  const listed = (context: Context) => deps.listing && isLocalRequest(context);
  app.get('/', async (context) => context.html(await homePage(deps, listed(context))));
  app.get('/a/:link', async (context) => {
    const opened = await open(deps, context.req.param('link'));
    const { status, page } = await stateOf(deps, opened);
    return context.html(page, status);
  });
  app.get('/a/:link/case', async (context) => {
    const { view, circle } = await open(deps, context.req.param('link'));
    return context.html(casePage(await readStory(deps.store, view), circle, sendsLetters(deps)));
  });
  app.get('/calendar/:file', async (context) => {
    const secret = /^(.*)\.ics$/.exec(context.req.param('file'))?.[1] ?? '';
    const circle = await circleOfSecret(deps.store, deps.circles, secret);
    if (circle === undefined) return context.notFound();
    // What writes calendars is loaded for a calendar, and not with every page.
    const { calendarFeed } = await import('./calendarfeed.ts');
    const feed = await calendarFeed(deps.store, circle);
    return context.body(feed, 200, { 'Content-Type': 'text/calendar; charset=utf-8' });
  });
  app.get('/release.json', async (context) => {
    const record = await newestSmoke(deps.store, deps.commit ?? '');
    return record === undefined ? context.json({ error: 'NOT_FOUND' }, 404) : context.json(record);
  });
  app.get('/release', async (context) => {
    const record = await newestSmoke(deps.store, deps.commit ?? '');
    return record === undefined ? context.html(untestedPage(), 404) : context.html(releasePage(record));
  });
  app.get('/case/:case', async (context) => {
    const id = caseIdSchema.safeParse(context.req.param('case'));
    if (!id.success || !listed(context)) return context.notFound();
    for (const circle of deps.circles) {
      const story = await readStory(deps.store, { circle: circle.id, case: id.data });
      if (story.opened !== undefined) return context.html(casePage(story, circle, sendsLetters(deps)));
    }
    return context.notFound();
  });
  return app;
}

/** The pages that decide. They answer POST alone. */
export function createDecisions(deps: DecisionDeps): Hono {
  const app = new Hono();
  withHeaders(app);
  withEndings(app, deps);
  app.use(bodyLimit({ maxSize: longestForm, onError: (context) => context.html(failurePage(), 413) }));
  app.post('/a/:link', async (context) => {
    const link = context.req.param('link');
    const form = await formOf(context);
    try {
      return context.html(donePage(await choose(deps, link, form), link));
    } catch (error) {
      return refused(deps, context, error, form);
    }
  });
  app.post('/a/:link/code', async (context) => {
    const link = context.req.param('link');
    const opened = await open(deps, link);
    try {
      const mailed = await newCode(deps, opened);
      return context.html(newCodePage(mailed, link), mailed ? 200 : 429);
    } catch (error) {
      return refused(deps, context, error, {});
    }
  });
  return app;
}

type Form = Readonly<Record<string, string>>;

async function formOf(context: Context): Promise<Form> {
  const fields = Object.entries(await context.req.parseBody());
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

async function choose(deps: DecisionDeps, link: string, form: Form): Promise<Decided> {
  const opened = await open(deps, link);
  if (form.choice === 'approve' && (await isChanged(deps, opened))) {
    throw new CaregateError('APPROVAL_CLOSED', 'the call names an entry of the `circle` that has changed');
  }
  const parts = { ...deps, publicKey: await deps.publicKey() };
  const code = form.code ?? '';
  switch (form.choice) {
    case 'approve':
    case 'decline':
      return decide(parts, { link, code, choice: form.choice, reason: form.reason });
    case 'answer':
      return answer(parts, { link, code, text: form.answer ?? '' });
    default:
      throw new CaregateError(
        'INVALID_INPUT',
        '`choice` is neither to approve nor to decline; press a button',
      );
  }
}

async function newCode(deps: DecisionDeps, { claims, circle }: Opened): Promise<boolean> {
  return mailNewCode(deps, circle, await requireEntry(deps, claims), claims.person);
}

const sendsLetters = ({ sending }: PageDeps): boolean => sending !== 'off';

/** The page of a link as it stands now, whatever was tried before. */
async function stateOf(
  deps: PageDeps,
  opened: Opened,
  problem?: Html,
  typed?: string,
): Promise<{ status: 200 | 409 | 410 | 429; page: Html }> {
  const { view, circle, link, claims } = opened;
  const now = deps.clock.now();
  const stand = view.people[claims.person];
  const status = statusAt(view, now);
  if (status === 'decided') return { status: 409, page: closedPage(view, circle, link) };
  if (status !== 'open') return { status: 410, page: closedPage(view, circle, link) };
  if (await isChanged(deps, opened)) return { status: 410, page: changedPage(link) };
  if (stand?.choice !== undefined) return { status: 409, page: chosenPage(link) };
  const until = stand === undefined ? undefined : lockedUntil(stand, now);
  if (until !== undefined) return { status: 429, page: lockedPage(until, circle) };
  const record = await presentedRecord(deps, opened);
  const sends = sendsLetters(deps);
  return {
    status: 200,
    page: decisionPage({ link, person: claims.person, circle, view, record, problem, typed, sends }),
  };
}

/** What a person sees of a choice that did not take effect: the state as it is now, and what was wrong. */
async function refused(deps: DecisionDeps, context: Context, error: unknown, form: Form): Promise<Response> {
  const shown = ['APPROVAL_CODE_WRONG', 'APPROVAL_LOCKED', 'APPROVAL_CLOSED', 'INVALID_INPUT'] as const;
  const code = shown.find((known) => isCaregateError(error, known));
  if (code === undefined) throw error;
  const opened = await open(deps, context.req.param('link') ?? '');
  const wrong = opened.view.people[opened.claims.person]?.wrong ?? 0;
  const problem = problemOf(code, mostWrong - wrong);
  const { status, page } = await stateOf(deps, opened, problem, form.answer ?? form.reason);
  return context.html(page, status === 200 ? statusOf(code) : status);
}

function statusOf(code: string): 400 | 403 | 409 {
  switch (code) {
    case 'APPROVAL_CODE_WRONG':
      return 403;
    case 'INVALID_INPUT':
      return 400;
    default:
      return 409;
  }
}

function problemOf(code: string, left: number): Html {
  const tries = left === 1 ? 'one try is left' : `${left} tries are left`;
  switch (code) {
    case 'APPROVAL_CODE_WRONG':
      return html`<div class="warn" role="alert"><p><b>That code is not the right one.</b> Nothing was decided;
${tries}. Please copy it from the newest mail.</p></div>`;
    case 'INVALID_INPUT':
      return html`<div class="warn" role="alert"><p><b>Something is missing.</b> The code has six digits, and a text
must not be empty or too long. Nothing was decided.</p></div>`;
    default:
      return html`<div class="warn" role="alert"><p>That did not take effect. Please try again.</p></div>`;
  }
}
