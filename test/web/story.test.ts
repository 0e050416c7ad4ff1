import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, decide } from '../../lib/approval/decide.ts';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { writeRecord } from '../../lib/casefile/record.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { readStory } from '../../lib/web/story.ts';
import { askWhich, at, caseKey, openCase, propose, sendLetter } from '../approval/casefile.ts';
import { callOf, caseId, requestFor } from '../approval/requests.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { bothPages, pageDeps } from '../support/pages.ts';

let office: Approvals;
const hostileLetter = {
  ...sendLetter,
  input: { ...sendLetter.input, body: { text: '<b>Bring</b> it\u202e.' } },
};
const filing = {
  tool: 'file_document' as const,
  input: { document: 'd1', title: { text: 'Letter' }, folder: { entry: 'letters' } },
};

beforeAll(async () => {
  office = await startApprovals();
  await openCase(office);
  await writeRecord(office.store, layout.triage(caseKey, 1), {
    category: 'records_request',
    model: 'reader',
    attempts: 1,
  });
  await writeRecord(office.store, layout.parked(caseKey, caseId), {
    execution: caseId,
    reason: 'MODEL_UNAVAILABLE',
    at,
  });
  await writeRecord(office.store, layout.receipt(caseKey, 1), {
    ...{
      number: 1,
      action: 1,
      tool: 'send_email',
      callDigest: digestOf('call'),
      status: 'sent',
      previous: null,
      at,
    },
    ...{ intent: digestOf('intent'), key: layout.letter(caseKey, 1), sha256: digestOf('letter') },
  });
  await propose(office, 1, sendLetter, 'sent');
  await requestApproval(office, requestFor(office, callOf(1, sendLetter)));
  await decide(office, { ...(await mailToMaya()), choice: 'approve' });
  await propose(office, 2, hostileLetter, 'declined');
  await requestApproval(office, requestFor(office, callOf(2, hostileLetter)));
  await decide(office, { ...(await mailToMaya()), choice: 'decline', reason: 'We go ourselves.' });
  await propose(office, 3, askWhich, 'answered');
  await requestAnswer(office, requestFor(office, callOf(3, askWhich)));
  await answer(office, { ...(await mailToMaya()), text: 'The <i>Thursday</i>.' });
  await propose(office, 4, filing);
});
afterAll(async () => office[Symbol.asyncDispose]());

async function mailToMaya(): Promise<{ link: string; code: string }> {
  const mail = (await office.mails()).findLast(({ to }) => to.includes('maya@family.example'));
  return { link: mail?.link ?? '', code: mail?.code ?? '' };
}

const pages = () => bothPages(pageDeps(office));

describe('the story of a case', () => {
  it('is read from the case file alone, action by action', async () => {
    const story = await readStory(office.store, caseKey);
    expect(story.triage?.category).toBe('records_request');
    expect(story.actions.map(({ outcome }) => outcome?.status)).toEqual([
      'sent',
      'declined',
      'answered',
      undefined,
    ]);
    const [letter, declined, question] = story.actions;
    expect(letter?.consents.map(({ person }) => person)).toEqual(['maya']);
    expect(letter?.receipt?.sha256).toBe(digestOf('letter'));
    expect(declined?.decline?.reason).toBe('We go ourselves.');
    expect(question?.answer?.text).toBe('The <i>Thursday</i>.');
  });

  it('is a page in words, with everything that a mail wrote escaped and made visible', async () => {
    const page = await pages().request(`/case/${caseId}`, { headers: { host: 'localhost:8080' } });
    expect(page.status).toBe(200);
    const text = await page.text();
    for (const part of [
      'Tom Winterbourne, verified',
      'records request',
      'Read by</dt><dd><span class="exact">category: reader',
      '1. Send a letter by email',
      'Hillside Clinic records office',
      'a person is asked: something leaves the household',
      'letters-need-a-person',
      'Maya Winterbourne, Monday, 1 March 2027 at 09:00',
      '&lt;b&gt;Bring&lt;/b&gt; it[U+202E].',
      'We go ourselves.',
      'The &lt;i&gt;Thursday&lt;/i&gt;.',
      'the model did not answer',
      'waits for a person',
      digestOf('letter'),
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/<b>Bring|<i>Thursday/);
  });

  it('is shown to whoever holds a link of the case, wherever she is', async () => {
    const mail = (await office.mails())[0];
    const page = await pages().request(`/a/${mail?.link}/case`, { headers: { host: 'care.example' } });
    expect([page.status, (await page.text()).includes('How a mail was dealt with')]).toEqual([200, true]);
    expect((await pages().request('/a/forged/case')).status).toBe(404);
  });

  it('of a case without a mail is empty', async () => {
    const none = { ...caseKey, case: `c-${'0'.repeat(32)}` } as typeof caseKey;
    expect(await readStory(office.store, none)).toEqual({
      ...{ key: none, actions: [], parked: [], unread: [], readers: [] },
    });
  });
});
