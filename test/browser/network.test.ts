import { handle } from 'hono/aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestApproval } from '../../lib/approval/request.ts';
import { type Gateway, startGateway } from '../../lib/local/endpoints/gateway.ts';
import { FunctionRegistry, type LambdaHandler } from '../../lib/local/endpoints/lambda.ts';
import { createDecisions, createPages } from '../../lib/web/app.ts';
import { letterCall, requestFor } from '../approval/requests.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { type Browser, launchBrowser } from '../support/browser.ts';
import { pageDeps } from '../support/pages.ts';

let office: Approvals;
let gateway: Gateway;
let browser: Browser;
beforeAll(async () => {
  office = await startApprovals();
  const registry = new FunctionRegistry();
  registry.register('web', handle(createPages(pageDeps(office))) as LambdaHandler);
  registry.register('decide', handle(createDecisions(pageDeps(office))) as LambdaHandler);
  const publicUrl = 'http://care.example';
  gateway = await startGateway({
    registry,
    get: 'web',
    post: 'decide',
    port: 0,
    publicUrl,
    clock: office.clock,
  });
  const { host } = new URL(gateway.url);
  browser = await launchBrowser(`--host-resolver-rules=MAP care.example ${host}`);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await office?.[Symbol.asyncDispose]();
});

it('a person decides on a page without TLS, where a browser does not say which site a form is of', async () => {
  await requestApproval(office, requestFor(office, letterCall()));
  const { link = '', code = '' } = (await office.mails()).at(-2) ?? {};
  const page = await browser.newPage();
  await page.goto(`http://care.example/a/${link}`);
  const posted = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByLabel('Code from the mail').fill(code);
  await page.getByRole('button', { name: 'Approve' }).click();
  expect((await (await posted).allHeaders())['sec-fetch-site']).toBeUndefined();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You approved it');
});
