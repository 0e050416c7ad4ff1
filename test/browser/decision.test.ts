import { mkdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requestRelease } from '../../lib/approval/release.ts';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { caseRecordSchema } from '../../lib/casefile/schemas.ts';
import { hour, letterCall, questionCall, requestFor } from '../approval/requests.ts';
import { newCase, open } from '../casefile/casebench.ts';
import { type Approvals, type Mailed, startApprovals } from '../support/approvals.ts';
import { type Browser, launchBrowser } from '../support/browser.ts';
import { pageDeps, type ServedPages, servePages } from '../support/pages.ts';

/** A folder to leave screenshots in, for whoever wants to look. */
const screenshots = process.env.CAREGATE_SCREENSHOTS;

const inspection = readFileSync(new URL('inspection.js', import.meta.url), 'utf8');

interface Inspection {
  readonly worst: { readonly text: string; readonly ratio: number };
  readonly obstacles: readonly string[];
}

const inspect = (page: Page): Promise<Inspection> => page.evaluate(inspection);

let office: Approvals;
let pages: ServedPages;
let browser: Browser;
let action = 0;
beforeAll(async () => {
  office = await startApprovals();
  pages = await servePages(pageDeps(office));
  browser = await launchBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await pages?.[Symbol.asyncDispose]();
  await office?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  action += 1;
  office.tasks.outputs.length = 0;
});

async function mailed(): Promise<Mailed> {
  const mail = (await office.mails()).at(-2);
  if (mail === undefined) throw new TypeError('nobody was mailed');
  return mail;
}

async function asked(): Promise<Mailed> {
  await requestApproval(office, requestFor(office, letterCall(action)));
  return mailed();
}

async function questioned(): Promise<Mailed> {
  await requestAnswer(office, requestFor(office, questionCall(action)));
  return mailed();
}

/** The link of a stranger's mail in quarantine. */
async function held(): Promise<string> {
  const key = newCase(false);
  await open(office, key, { standing: 'quarantined', reason: 'SENDER_UNKNOWN' });
  const record = await readRecord(office.store, layout.case(key), caseRecordSchema);
  const heads = {
    from: 'Clinic <news@clinic.example>',
    subject: 'Your visit on Thursday, and what to bring',
  };
  const people = office.circle.people.slice(0, 1);
  const entry = await requestRelease(
    office,
    office.circle,
    { record, heads: async () => heads, execution: key.execution },
    people,
  );
  return entry?.secrets.maya?.link ?? '';
}

/** A page at a phone's width and without scripts, as careful people and old phones have it. */
async function phone(path: string, colorScheme: 'light' | 'dark' = 'light', width = 375) {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme,
    javaScriptEnabled: false,
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  const failures: string[] = [];
  page.on('console', (message) => failures.push(message.text()));
  await page.goto(`${pages.url}${path}`);
  return { page, failures, close: () => context.close() };
}

describe('on a phone', () => {
  it.each([
    ['light', 375],
    ['dark', 375],
    ['light', 320],
  ] as const)('every page can be read and used in %s at %i px', async (scheme, width) => {
    const approval = await asked();
    action += 1;
    const question = await questioned();
    const { page, failures, close } = await phone('/', scheme, width);
    for (const [name, path] of [
      ['home', '/'],
      ['approval', `/a/${approval.link}`],
      ['question', `/a/${question.link}`],
      ['release', `/a/${await held()}`],
      ['invalid', '/a/nothing'],
    ] as const) {
      await page.goto(`${pages.url}${path}`);
      const { obstacles, worst } = await inspect(page);
      expect(obstacles).toEqual([]);
      expect(worst.ratio, worst.text).toBeGreaterThanOrEqual(4.5);
      if (screenshots !== undefined) {
        mkdirSync(screenshots, { recursive: true });
        await page.screenshot({ path: `${screenshots}/${name}-${scheme}-${width}.png`, fullPage: true });
      }
    }
    expect(failures.filter((text) => !text.includes('404'))).toEqual([]);
    await close();
  });

  it('a person approves with the code from her mail', async () => {
    const { link, code } = await asked();
    const { page, close } = await phone(`/a/${link}`);
    await page.getByLabel('Code from the mail').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You approved it');
    expect(office.tasks.outputs).toMatchObject([{ decision: 'approved', people: ['maya'] }]);
    await page.goBack();
    await page.reload();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Already decided');
    await close();
  });

  it('a person declines and says why', async () => {
    const { link, code } = await asked();
    const { page, close } = await phone(`/a/${link}`);
    await page.getByLabel('Code from the mail').fill(code);
    await page.getByLabel('If you decline').fill('We bring it ourselves.');
    await page.getByRole('button', { name: 'Decline' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You declined it');
    await close();
  });

  it('a person answers a question', async () => {
    const { link, code } = await questioned();
    const { page, close } = await phone(`/a/${link}`);
    await page.getByLabel('Your answer').fill('The Thursday.');
    await page.getByLabel('Code from the mail').fill(code);
    await page.getByRole('button', { name: 'Send the answer' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Thank you for the answer');
    await close();
  });

  it('the Return key in the code field decides nothing', async () => {
    const { link, code } = await asked();
    const { page, close } = await phone(`/a/${link}`);
    await page.getByLabel('Code from the mail').fill(code);
    const methods: string[] = [];
    page.on('request', (request) => methods.push(request.method()));
    await page.keyboard.press('Enter');
    await page.reload();
    expect(methods).toEqual(['GET']);
    expect(office.tasks.outputs).toEqual([]);
    await close();
  });

  it('a wrong code is explained, and a new one can be mailed', async () => {
    const { link, code } = await asked();
    const { page, close } = await phone(`/a/${link}`);
    await page.getByLabel('Code from the mail').fill(code === '000000' ? '111111' : '000000');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('4 tries are left');
    expect((await inspect(page)).obstacles).toEqual([]);
    office.clock.advance(hour);
    await page.getByRole('button', { name: 'Mail me a new code' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('A new code is on its way');
    await page.getByRole('link', { name: 'Back to the decision' }).click();
    await page.getByLabel('Code from the mail').fill((await office.mails()).at(-1)?.code ?? '');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You approved it');
    await close();
  });
});

describe('a scanner that presses every button', () => {
  it('decides nothing', async () => {
    const { link } = await asked();
    const { page, close } = await phone(`/a/${link}`);
    const count = await page.locator('button:not([disabled])').count();
    for (let button = 0; button < count; button += 1) {
      await page.goto(`${pages.url}/a/${link}`);
      await page.locator('button:not([disabled])').nth(button).click();
      await page.waitForLoadState();
    }
    expect(count).toBe(3);
    expect(office.tasks.outputs).toEqual([]);
    await page.goto(`${pages.url}/a/${link}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Send a letter by email?');
    await close();
  });
});
