import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, decide } from '../../lib/approval/decide.ts';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { writeRecord } from '../../lib/casefile/record.ts';
import type { Call } from '../../lib/proposal/call.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { readStory } from '../../lib/web/story.ts';
import { callOf, caseId, decisionOn, letterCall, questionCall, requestFor } from '../approval/requests.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { bothPages, pageDeps } from '../support/pages.ts';

let office: Approvals;
const key = { circle: 'example-household', case: caseId } as Parameters<typeof layout.case>[0];
const at = '2027-03-01T09:00:00.000Z';
const pointer = { key: 'somewhere', sha256: digestOf('something') };

beforeAll(async () => {
  office = await startApprovals();
  await openCase();
  await propose(letterCall(1), 'sent');
  await propose(letterCall(2, '<b>Bring</b> it\u202e.'), 'declined');
  await propose(questionCall(3), 'answered');
  await propose(
    callOf(4, {
      tool: 'file_document',
      input: { document: 'd1', title: { text: 'Letter' }, folder: { entry: 'letters' } },
    }),
    undefined,
  );
});
afterAll(async () => office[Symbol.asyncDispose]());

/** A case whose mail came in, was read, and had one run stop. */
async function openCase(): Promise<void> {
  const { store } = office;
  await writeRecord(store, layout.case(key), {
    ...{
      case: caseId,
      circle: key.circle,
      message: digestOf('mail'),
      delivery: pointer,
      mail: pointer,
      openedAt: at,
    },
    judgement: { standing: 'accepted', reason: 'PERSON_VERIFIED', sender: { list: 'people', id: 'maya' } },
  });
  await writeRecord(store, layout.triage(key, 1), {
    category: 'records_request',
    model: 'reader',
    attempts: 1,
  });
  await writeRecord(store, layout.parked(key, caseId), {
    execution: caseId,
    reason: 'MODEL_UNAVAILABLE',
    at,
  });
  await writeRecord(store, layout.receipt(key, 1), {
    ...{
      number: 1,
      action: 1,
      tool: 'send_email',
      callDigest: digestOf('call'),
      status: 'sent',
      previous: null,
      at,
    },
    ...{ intent: digestOf('intent'), key: layout.letter(key, 1), sha256: digestOf('letter') },
  });
}

async function propose(call: Call, status: string | undefined): Promise<void> {
  const { store } = office;
  const { action } = call;
  const { tool } = call;
  await writeRecord(store, layout.proposal(key, action), {
    action,
    round: 1,
    tool,
    input: {},
    model: 'reader',
    attempts: 1,
  });
  await writeRecord(store, layout.call(key, action), call);
  await writeRecord(store, layout.decision(key, action), {
    ...{
      decision: decisionOn(call),
      category: 'records_request',
      standing: 'accepted',
      evidence: pointer,
      proposal: pointer,
      at,
    },
  });
  if (status === undefined) return;
  await writeRecord(store, layout.outcome(key, action), { status, reason: 'VERIFIED', at });
  const ask = status === 'answered' ? requestAnswer : requestApproval;
  await ask(office, requestFor(office, call));
  const mail = (await office.mails()).at(-2);
  const given = { link: mail?.link ?? '', code: mail?.code ?? '' };
  if (status === 'answered') await answer(office, { ...given, text: 'The <i>Thursday</i>.' });
  else
    await decide(office, {
      ...given,
      choice: status === 'sent' ? 'approve' : 'decline',
      reason: 'We go ourselves.',
    });
}

const pages = () => bothPages(pageDeps(office));

describe('the story of a case', () => {
  it('is read from the case file alone, action by action', async () => {
    const story = await readStory(office.store, key);
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
      'Maya Winterbourne, verified',
      'records request',
      '1. Send a letter by email',
      'Hillside Clinic records office',
      'a person is asked: something leaves the household',
      'letters-need-a-person',
      'Maya Winterbourne, Monday, 1 March 2027 at 09:00',
      '&lt;b&gt;Bring&lt;/b&gt; it[U+202E].',
      'We go ourselves.',
      'The &lt;i&gt;Thursday&lt;/i&gt;.',
      'the model did not answer',
      'not finished',
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
    const none = { ...key, case: `c-${'0'.repeat(32)}` } as typeof key;
    expect(await readStory(office.store, none)).toEqual({ key: none, actions: [], parked: [] });
  });
});
