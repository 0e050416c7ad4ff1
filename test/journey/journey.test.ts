import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaseReport } from '../../lib/cli/casereport.ts';
import { type Browser, launchBrowser } from '../support/browser.ts';
import { caregate, freshData, type OfficeProcess, startOffice } from '../support/office.ts';

type Report = CaseReport & { readonly mail: string };

/** The reports of all cases, as the command line gives them. */
async function reports(data: string): Promise<Report[]> {
  const ran = await caregate(['cases', '--data', data, '--json']);
  expect(ran.code).toBe(0);
  return ran.objects as unknown as Report[];
}

async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it did not come to that');
}

describe('the whole journey', () => {
  const data = freshData();
  let office: OfficeProcess;
  let browser: Browser;

  beforeAll(async () => {
    const once = await caregate(['start', '--once', '--data', data, '--port', '0', '--smtp', '0']);
    expect(once.code, once.stderr).toBe(0);
    office = await startOffice(data);
    browser = await launchBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await office?.stop();
  });

  it('an approval that was parked survives SIGKILL, and the same link decides in a browser', async () => {
    const before = (await reports(data)).find((report) => report.status === 'awaiting_approval');
    const approval = before?.approvals[0];
    expect(approval?.code).toMatch(/^\d{6}$/);

    await office.kill();
    office = await startOffice(data);

    const page = await browser.newPage();
    const path = new URL(approval?.url ?? '').pathname;
    await page.goto(new URL(path, office.connection.file.web).href);
    expect(await page.textContent('body')).toContain('records@hillside-clinic.example');
    await page.fill('input[name=code]', approval?.code ?? '');
    await page.click('button[value=approve]');
    expect(await page.textContent('body')).not.toContain('not the right one');
    await page.close();

    const after = await waitFor(async () =>
      (await reports(data)).find((report) => report.case === before?.case && report.status === 'closed'),
    );
    const sent = after.actions.find((action) => action.tool === 'send_email');
    expect(sent?.status).toBe('sent');
    const letter = await office.connection.store.read(sent?.effect?.key ?? '');
    expect(letter.sha256).toBe(sent?.effect?.sha256);
  });

  it('everything agrees in the audit', async () => {
    const audit = await caregate(['audit', '--all', '--data', data]);
    expect(audit.stdout).toContain('all consistent');
    expect(audit.code).toBe(0);
  });
});
