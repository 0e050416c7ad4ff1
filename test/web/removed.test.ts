import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { writeRecord } from '../../lib/casefile/record.ts';
import { letterCall, questionCall, requestFor } from '../approval/requests.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { bothPages, pageDeps } from '../support/pages.ts';

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());

/** The pages of an office whose circle Tom was taken out of since he was asked. */
function withoutTom() {
  const people = office.circle.people.filter(({ id }) => id !== 'tom');
  return bothPages(pageDeps(office, { circles: [{ ...office.circle, people }] }));
}

async function ofTom(): Promise<{ link: string; code: string }> {
  const tom = (await office.mails()).findLast(({ to }) => to[0]?.startsWith('tom'));
  if (tom === undefined) throw new TypeError('Tom was not mailed');
  return tom;
}

const post = (path: string, form: Record<string, string>) =>
  withoutTom().request(path, { method: 'POST', body: new URLSearchParams(form) });

it('somebody who was taken out of the circle reads and decides nothing by the links that he has', async () => {
  await requestApproval(office, requestFor(office, letterCall(1)));
  const { link, code } = await ofTom();
  expect((await withoutTom().request(`/a/${link}`)).status).toBe(404);
  expect((await withoutTom().request(`/a/${link}/case`)).status).toBe(404);
  for (const choice of ['approve', 'decline']) {
    expect((await post(`/a/${link}`, { code, choice })).status).toBe(404);
  }
  expect((await post(`/a/${link}/code`, {})).status).toBe(404);
  await requestAnswer(office, requestFor(office, questionCall(2)));
  const asked = await ofTom();
  const answer = { code: asked.code, choice: 'answer', answer: 'Cancel all of them.' };
  expect((await post(`/a/${asked.link}`, answer)).status).toBe(404);
  expect(office.tasks.outputs).toEqual([]);
});

it('a call whose recipient was taken out or changed since is void, and its page says so', async () => {
  const call = letterCall(3);
  await requestApproval(office, requestFor(office, call));
  await writeRecord(office.store, layout.call(call, 3), call);
  const { link, code } = await ofTom();
  const other = office.circle.contacts.map((contact) => ({ ...contact, email: 'else@where.example' }));
  for (const contacts of [[], other]) {
    const pages = bothPages(pageDeps(office, { circles: [{ ...office.circle, contacts }] }));
    const shown = await pages.request(`/a/${link}`);
    expect([shown.status, await shown.text()]).toEqual([410, expect.stringContaining('This is void')]);
    const body = new URLSearchParams({ code, choice: 'approve' });
    expect((await pages.request(`/a/${link}`, { method: 'POST', body })).status).toBe(410);
  }
  expect(office.tasks.outputs).toEqual([]);
  expect((await bothPages(pageDeps(office)).request(`/a/${link}`)).status).toBe(200);
});
