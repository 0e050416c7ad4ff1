import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueLink } from '../../lib/approval/link.ts';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import type { layout } from '../../lib/casefile/layout.ts';
import type { DecisionDeps } from '../../lib/web/deps.ts';
import {
  callOf,
  caseId,
  decisionOn,
  hour,
  letterCall,
  letterEvidence,
  questionCall,
  requestFor,
} from '../approval/requests.ts';
import { type Approvals, type Mailed, startApprovals } from '../support/approvals.ts';
import { bothPages, pageDeps } from '../support/pages.ts';

let office: Approvals;
let action = 0;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
beforeEach(() => {
  action += 1;
  office.tasks.outputs.length = 0;
});

const key = { circle: 'example-household', case: caseId } as Parameters<typeof layout.approval>[0];

async function asked(people = 1, body?: string): Promise<{ maya: Mailed; tom: Mailed }> {
  const call = letterCall(action, body);
  await requestApproval(office, requestFor(office, call, { decision: decisionOn(call, people) }));
  return newest();
}

async function newest(): Promise<{ maya: Mailed; tom: Mailed }> {
  const [maya, tom] = (await office.mails()).slice(-2);
  if (maya === undefined || tom === undefined) throw new TypeError('somebody was not mailed');
  return { maya, tom };
}

async function get(path: string, given: Partial<DecisionDeps> = {}, headers: Record<string, string> = {}) {
  const response = await bothPages(pageDeps(office, given)).request(path, { headers });
  return { response, status: response.status, text: await response.text() };
}

async function post(path: string, form: Record<string, string>, given: Partial<DecisionDeps> = {}) {
  const response = await bothPages(pageDeps(office, given)).request(path, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return { status: response.status, text: await response.text() };
}

const approve = ({ link, code }: Mailed) => post(`/a/${link}`, { code, choice: 'approve' });
const wrong = ({ code }: Mailed) => (code === '000000' ? '111111' : '000000');

describe('the page of a link', () => {
  it('shows the exact call and never the code', async () => {
    const { maya } = await asked();
    const { status, text } = await get(`/a/${maya.link}`);
    expect(status).toBe(200);
    for (const part of [
      'Send a letter by email?',
      'Maya Winterbourne, Caregate would like',
      'Hillside Clinic records office &lt;records@hillside-clinic.example&gt;',
      'Please find the referral attached.\n\nMaya Winterbourne',
      'referral.pdf',
      'please send the referral to Hillside Clinic records office by Friday',
      'inputmode="numeric" autocomplete="one-time-code"',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain(maya.code);
  });

  it('changes nothing when it is shown, however often and however', async () => {
    const { maya } = await asked();
    const before = [await state(), await office.store.list(''), (await office.outbox()).length];
    for (const path of ['', '?choice=approve&code=123456', '/code', '/case'])
      await get(`/a/${maya.link}${path}`);
    await bothPages(pageDeps(office)).request(`/a/${maya.link}`, { method: 'HEAD' });
    expect([await state(), await office.store.list(''), (await office.outbox()).length]).toEqual(before);
    expect(office.tasks.outputs).toEqual([]);
  });

  it('escapes whatever a mail put into it', async () => {
    const { maya } = await asked(1, '<script>alert(1)</script><img src=x onerror=alert(1)>\u202e&amp;');
    const { text } = await get(`/a/${maya.link}`);
    expect(text).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;[U+202E]&amp;amp;',
    );
    expect(text).not.toContain('<script');
    expect(text).not.toContain('<img');
  });

  it('carries headers that keep it to itself', async () => {
    const { maya } = await asked();
    for (const path of ['/', '/healthz', '/nothing', '/a/forged', `/a/${maya.link}`]) {
      const { headers } = (await get(path)).response;
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('is the same short page for whatever is no link of ours', async () => {
    const { maya } = await asked();
    const claims = {
      approval: 'AAAAAAAAAAAAAAAAAAAAAA',
      callDigest: '0'.repeat(64),
      person: 'maya',
      purpose: 'approve',
      expires: '2099-01-01T00:00:00.000Z',
    } as unknown as Parameters<typeof issueLink>[0]['claims'];
    const unknown = await issueLink({ ...office.signer, claims });
    const texts = new Set<string>();
    for (const link of ['x', `${maya.link.slice(0, -4)}AAAA`, unknown]) {
      const { status, text } = await get(`/a/${link}`);
      expect(status).toBe(404);
      texts.add(text);
      expect((await post(`/a/${link}`, { code: maya.code, choice: 'approve' })).status).toBe(404);
      expect((await post(`/a/${link}/code`, {})).status).toBe(404);
    }
    expect(texts.size).toBe(1);
  });

  it('says that its time is over', async () => {
    const { maya } = await asked();
    office.clock.advance(73 * hour);
    expect(await get(`/a/${maya.link}`)).toMatchObject({
      status: 410,
      text: expect.stringContaining('Too late'),
    });
    expect(await approve(maya)).toMatchObject({ status: 410 });
    expect(await post(`/a/${maya.link}/code`, {})).toMatchObject({ status: 410 });
  });

  it('is not shown where the record is not what was asked for', async () => {
    const { maya } = await asked();
    const { status, text } = await get(`/a/${maya.link}`, {
      store: {
        ...office.store,
        read: async () => ({ key: '', bytes: Buffer.from('{}'), sha256: 'x', metadata: {} }),
      } as never,
    });
    expect(status).toBe(500);
    expect(text).toContain('nothing is lost');
  });
});

async function state(): Promise<unknown> {
  const open = await office.register.listOpen(office.circle.id);
  return Promise.all(open.map(({ id }) => office.register.find(id)));
}

describe('deciding', () => {
  it('approves with the code from the mail, once', async () => {
    const { maya, tom } = await asked();
    expect(await approve(maya)).toMatchObject({
      status: 200,
      text: expect.stringContaining('You approved it'),
    });
    for (const again of [await approve(maya), await approve(tom), await get(`/a/${maya.link}`)]) {
      expect(again.status).toBe(409);
      expect(again.text).toMatch(/It was approved by Maya Winterbourne, /);
    }
    expect(office.tasks.outputs).toHaveLength(1);
  });

  it('of ten at once decides once', async () => {
    const { maya } = await asked();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => approve(maya)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(office.tasks.outputs).toHaveLength(1);
  });

  it('declines with a reason, which the story shows', async () => {
    const { maya } = await asked();
    const declined = await post(`/a/${maya.link}`, {
      code: maya.code,
      choice: 'decline',
      reason: 'We <b>call</b>.',
    });
    expect(declined).toMatchObject({ status: 200, text: expect.stringContaining('You declined it') });
    expect((await get(`/a/${maya.link}`)).text).toContain('It was declined by');
  });

  it('needs two people where the rules do, and tells each how it stands', async () => {
    const { maya, tom } = await asked(2);
    expect((await get(`/a/${maya.link}`)).text).toContain(
      '2 different people have to approve it; 0 did so far',
    );
    expect((await approve(maya)).text).toContain('Somebody else has to approve it too');
    expect(await get(`/a/${maya.link}`)).toMatchObject({
      status: 409,
      text: expect.stringContaining('Somebody else'),
    });
    expect((await approve(tom)).text).toContain('does exactly what you saw');
  });

  it('says how many tries are left, keeps what was typed, and locks after five', async () => {
    const { maya } = await asked();
    const guess = () =>
      post(`/a/${maya.link}`, { code: wrong(maya), choice: 'decline', reason: 'Kept for later.' });
    const first = await guess();
    expect(first.status).toBe(403);
    expect(first.text).toContain('4 tries are left');
    expect(first.text).toContain('Kept for later.');
    for (let turn = 0; turn < 2; turn += 1) await guess();
    expect((await guess()).text).toContain('one try is left');
    expect(await guess()).toMatchObject({ status: 429, text: expect.stringContaining('Locked for a while') });
    expect((await approve(maya)).status).toBe(429);
    expect(office.tasks.outputs).toEqual([]);
  });

  it('asks again where something is missing', async () => {
    const { maya } = await asked();
    for (const form of [
      {},
      { choice: 'approve' },
      { choice: 'approve', code: '12' },
      { choice: 'execute', code: maya.code },
    ]) {
      const { status, text } = await post(`/a/${maya.link}`, form as Record<string, string>);
      expect([status, text.includes('Something is missing')]).toEqual([400, true]);
    }
    expect((await post(`/a/${maya.link}`, { code: maya.code, choice: 'answer', answer: 'x' })).status).toBe(
      404,
    );
  });

  it('refuses a form without end', async () => {
    const { maya } = await asked();
    const { status } = await post(`/a/${maya.link}`, {
      code: maya.code,
      choice: 'decline',
      reason: 'x'.repeat(70_000),
    });
    expect(status).toBe(413);
  });

  it('answers a question', async () => {
    await requestAnswer(office, requestFor(office, questionCall(action)));
    const { maya } = await newest();
    expect((await get(`/a/${maya.link}`)).text).toContain('Which appointment is right?');
    const empty = await post(`/a/${maya.link}`, { code: maya.code, choice: 'answer' });
    expect(empty.status).toBe(400);
    const wrongly = await post(`/a/${maya.link}`, {
      code: wrong(maya),
      choice: 'answer',
      answer: 'The Thursday',
    });
    expect([wrongly.status, wrongly.text.includes('>The Thursday</textarea>')]).toEqual([403, true]);
    const done = await post(`/a/${maya.link}`, { code: maya.code, choice: 'answer', answer: 'The Thursday' });
    expect(done.text).toContain('Thank you for the answer');
    expect((await get(`/a/${maya.link}`)).text).toContain('It was answered by');
  });

  it('says that nobody waited any more', async () => {
    const { maya } = await asked();
    office.tasks.timeOut(`token-${action}`);
    expect((await approve(maya)).text).toContain('Too late');
    expect((await get(`/a/${maya.link}`)).text).toContain('no longer waited');
  });

  it('mails a new code on request, not more than one in ten minutes', async () => {
    const { maya } = await asked();
    expect((await post(`/a/${maya.link}/code`, {})).status).toBe(429);
    office.clock.advance(hour);
    expect(await post(`/a/${maya.link}/code`, {})).toMatchObject({
      status: 200,
      text: expect.stringContaining('on its way'),
    });
    const mail = (await office.mails()).at(-1);
    expect(mail?.to).toEqual(['maya@family.example']);
    expect((await approve({ ...maya, code: mail?.code ?? '' })).status).toBe(200);
  });

  it('is not a thing that the pages that show can do, nor the other way round', async () => {
    const { maya } = await asked();
    const { createPages, createDecisions } = await import('../../lib/web/app.ts');
    const deps = pageDeps(office);
    expect((await createPages(deps).request(`/a/${maya.link}`, { method: 'POST' })).status).toBe(404);
    expect((await createDecisions(deps).request(`/a/${maya.link}`)).status).toBe(404);
  });

  it('tells the log of a failure by its kind alone', async () => {
    const { maya } = await asked();
    const kinds: string[] = [];
    const register = {
      view: async () => {
        throw new TypeError(maya.code);
      },
    } as never;
    const { status, text } = await get(`/a/${maya.link}`, { register, log: (kind) => kinds.push(kind) });
    expect([status, kinds, text.includes(maya.code)]).toEqual([500, ['TypeError'], false]);
  });
});

describe('the list of cases', () => {
  const local = { host: '127.0.0.1:8080' };

  it('stands on the home page of the machine itself, and nowhere else', async () => {
    const { maya } = await asked();
    await office.index.note(key, {
      status: 'open',
      reason: 'PERSON_VERIFIED',
      category: 'records_request',
      openedAt: '2027-03-01T09:00:00.000Z',
      execution: caseId,
    });
    const listed = await get('/', {}, local);
    expect(listed.text).toContain(`/case/${caseId}`);
    expect(listed.text).toContain('Waits for a person');
    expect(listed.text).not.toContain(maya.link);
    for (const [given, headers] of [
      [{}, { host: 'care.example' }],
      [{}, { host: '127.0.0.1.evil.example' }],
      [{ listing: false }, local],
    ] as const) {
      expect((await get('/', given, headers)).text).not.toContain(caseId);
      expect((await get(`/case/${caseId}`, given, headers)).status).toBe(404);
    }
  });

  it('has no page for a case that does not exist', async () => {
    for (const id of ['c-0', `c-${'0'.repeat(32)}`, '../x'])
      expect((await get(`/case/${id}`, {}, local)).status).toBe(404);
  });

  it('says what a mail is about, how it stands and why, and when there is nothing', async () => {
    const nothing = {
      register: { ...office.register, listOpen: async () => [] },
      index: { list: async () => [] },
    };
    const empty = await get('/', nothing as never, local);
    expect(empty.text).toContain('Nothing waits.');
    expect(empty.text).toContain('No mail came in yet.');
    const entry = {
      ...key,
      status: 'quarantined',
      reason: 'SENDER_UNKNOWN',
      openedAt: '2027-03-01T09:00:00Z',
      execution: 'x',
    };
    const closed = { ...entry, status: 'closed', reason: 'EVERYTHING_DONE', category: 'bill' };
    const some = await get('/', { index: { list: async () => [entry, closed] } } as never, local);
    expect(some.text).toContain('quarantined: the sender is neither a person nor a contact');
    expect(some.text).toContain('>bill</a>');
    expect(some.text).toContain('>a mail</a>');
  });
});

describe('an appointment whose time was checked', () => {
  it('is shown in plain words, to the letter, and with the passage it was read from', async () => {
    const [fact, ...facts] = letterEvidence.facts;
    const evidence = {
      ...letterEvidence,
      facts: fact === undefined ? facts : [{ ...fact, trust: 'CONTROLLED' as const }, ...facts],
    };
    const input = { title: { text: 'Cardiology' }, start: { fact: 'f1' }, calendar: { entry: 'family' } };
    const call = callOf(action, { tool: 'add_appointment', input }, evidence);
    await requestApproval(office, requestFor(office, call, { decision: decisionOn(call), evidence }));
    const { text } = await get(`/a/${(await newest()).maya.link}`);
    for (const part of [
      'Thursday, 4 March 2027 at 10:30',
      'exactly: <code>2027-03-04T10:30:00+00:00</code>',
      'Read from the letter, and checked by Caregate',
      'Thursday 4 March at 10.30',
      'From your own list. The letter does not name it.',
    ]) {
      expect(text).toContain(part);
    }
  });
});

describe('what keeps the office from working', () => {
  const trouble = {
    id: 'mailbox-full',
    says: 'the mailbox is <full>',
    remedy: 'make room, then run `caregate doctor`',
    since: '2027-03-01T09:00:00.000Z',
    seen: '2027-03-01T09:00:00.000Z',
  };

  it('stands first on the home page, where cases are listed and nowhere else', async () => {
    const troubles = () => [trouble];
    const { text } = await get('/', { troubles }, { host: '127.0.0.1' });
    expect(text).toMatch(/<main><div class="warn" role="alert"><p><b>The mailbox is &lt;full&gt;\.<\/b>/);
    expect(text).toContain('<code>caregate doctor</code>');
    const outside = await get('/', { troubles }, { host: 'care.example' });
    expect(outside.text).not.toContain('mailbox');
  });
});

describe('where sending is switched off', () => {
  const says = 'Sending is switched off here';

  it('the pages say so: before a letter is approved, and at home', async () => {
    const { maya } = await asked();
    const off = { sending: 'off' } as const;
    expect((await get(`/a/${maya.link}`, off)).text).toContain(says);
    expect((await get('/', off)).text).toContain(says);
    for (const path of [`/a/${maya.link}`, '/']) expect((await get(path)).text).not.toContain(says);
  });
});
