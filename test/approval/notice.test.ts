import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mailedCode, textOfBlocks } from '../../lib/approval/blocks.ts';
import type { Notice } from '../../lib/approval/notice.ts';
import { createNotify, wordingOf } from '../../lib/approval/notice.ts';
import { type NoticeKind, noticeKindNames } from '../../lib/approval/noticekinds.ts';
import { presentCall, presentQuestion } from '../../lib/approval/presentation.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { answersNotice } from '../../lib/mail/noticeid.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { exampleCircle } from '../support/cases.ts';
import { callOf, caseId, letterCall, letterEvidence, questionCall } from './requests.ts';

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
beforeEach(() => {
  delete office.faults.ses;
});

const asked = {
  presentation: presentCall(letterCall(), letterEvidence, exampleCircle),
  url: 'https://care.example/a/x.y.z',
  code: '482913',
  expires: '2027-03-04T09:00:00.000Z',
};
const action = { case: caseId, tool: 'send_email' as const };
const whole = { case: caseId, reason: 'SENDER_UNKNOWN' };

/** One of each kind, with hostile words wherever words of a mail may stand. */
const hostile = 'Call 0800 123 4567 or open https://evil.example now\nYour code: 999999';
const slots: { readonly [K in NoticeKind]: Extract<Notice, { kind: K }>['slots'] } = {
  approval_request: { ...asked, reason: 'LEAVES_THE_HOUSEHOLD', need: 2 },
  question: { ...asked, presentation: presentQuestion(questionCall(), letterEvidence, exampleCircle) },
  reminder: asked,
  new_code: { title: 'Send a letter by email', url: asked.url, code: asked.code, expires: asked.expires },
  refused: { ...action, reason: 'DESTINATION_NOT_TRUSTED', subject: hostile, alert: true },
  declined: { ...action, person: 'Maya Winterbourne', words: hostile },
  expired: { ...action, subject: hostile },
  not_available: action,
  conflict: action,
  unknown_delivery: action,
  parked: { ...whole, reason: 'MODEL_UNAVAILABLE' },
  quarantine_summary: {
    mails: [
      {
        case: caseId,
        reason: 'SENDER_UNKNOWN',
        receivedAt: '2027-03-01T08:00:00.000Z',
        from: hostile,
        subject: hostile,
        url: asked.url,
      },
      { case: caseId, reason: 'VIRUS_FOUND', receivedAt: '2027-03-01T08:30:00.000Z' },
    ],
    more: 3,
    code: asked.code,
    expires: asked.expires,
  },
  forwarding_code: { case: caseId, code: '918273645', person: 'Maya Winterbourne' },
  reply: { case: caseId },
  undelivered: {
    what: 'letter',
    sentAt: '2027-03-01T09:00:00.000Z',
    recipient: 'Hillside Clinic records office',
  },
  deferred: { ...whole, reason: 'DAILY_CAP_REACHED' },
  failed_run: { ...whole, execution: `${caseId}-r1` },
  closing: {
    case: caseId,
    subject: hostile,
    actions: [
      { tool: 'file_document', status: 'verified', reason: 'FILING_IS_SAFE', what: hostile },
      { tool: 'send_email', status: 'refused', reason: 'CALL_CHANGED' },
    ],
  },
};

function notice(kind: NoticeKind, given: Partial<Notice> = {}): Notice {
  return { id: kind, kind, circle: exampleCircle, people: ['maya'], slots: slots[kind], ...given } as Notice;
}

describe.each(noticeKindNames)('a notice of the kind %s', (kind) => {
  it('leaves once, from the address for notices, to a person of the circle, marked as automatic', async () => {
    const before = (await office.outbox()).length;
    expect(await office.notify(notice(kind))).toEqual({ sent: ['maya'], before: [] });
    expect(await office.notify(notice(kind))).toEqual({ sent: [], before: ['maya'] });
    const [mail, ...more] = (await office.outbox()).slice(before);
    expect(more).toEqual([]);
    expect([mail?.source, mail?.destinations]).toEqual(['caregate@inbox.example', ['maya@family.example']]);
    const raw = Buffer.from(mail?.raw ?? []).toString();
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw).toMatch(/^From: Caregate <caregate@inbox.example>\r$/m);
    expect(raw).toMatch(/^Reply-To: care@inbox.example\r$/m);
    const [id, named] = [/^Message-ID: (.*)\r$/m, /^References: (.*)\r$/m].map(
      (form) => form.exec(raw)?.[1] ?? '',
    );
    expect(id).toBe(named); // where a service gives another id, whoever answers still names this one
    const reply = Buffer.from(`From: maya@family.example\r\nReferences: ${named}\r\n\r\nYes please.\r\n`);
    expect(answersNotice(await parseMessage(reply), 'caregate@inbox.example')).toBe(true);
  });

  it('says nothing that a mail could have someone click, dial or type', () => {
    const { subject, blocks } = wordingOf(notice(kind));
    const text = `${subject}\n${textOfBlocks(blocks)}`;
    expect(text).not.toMatch(/evil|4567/);
    const code = mailedCode.exec(text)?.[1];
    expect(code === undefined || code === '482913').toBe(true);
  });
});

const personalKinds = ['approval_request', 'question', 'reminder', 'new_code', 'quarantine_summary'] as const;

describe('notices', () => {
  it('reach nobody who is not one of the people of the circle', async () => {
    for (const people of [['hillside-records'], ['maya', 'mallory'], ['maya@family.example'], []]) {
      await expect(office.notify(notice('expired', { people }))).toFailWithCode('NOTICE_REFUSED');
    }
  });

  it('with a code are for one person', async () => {
    for (const kind of personalKinds) {
      await expect(office.notify(notice(kind, { people: ['maya', 'tom'] }))).toFailWithCode('NOTICE_REFUSED');
    }
  });

  it('without the slots of their kind are refused', () => {
    const wrong = {
      ...notice('refused'),
      slots: { ...action, reason: 'whatever a mail says' },
    } as unknown as Notice;
    expect(() => wordingOf(wrong)).toFailWithCode('INVALID_INPUT');
  });

  it('that did not reach everybody reach the rest when tried again', async () => {
    const both = notice('parked', { id: 'both', people: ['maya', 'tom', 'tom'] });
    office.faults.ses = ({ destinations }) =>
      destinations.includes('maya@family.example') ? 'Throttling' : undefined;
    await expect(office.notify(both)).toFailWithCode('NOTICE_NOT_SENT');
    delete office.faults.ses;
    expect(await office.notify(both)).toEqual({ sent: ['maya'], before: ['tom'] });
  });

  it('say in the approval mail who can use it and what exactly would be done', async () => {
    await office.notify(notice('approval_request', { id: 'to be read' }));
    const mail = (await office.mails()).at(-1);
    for (const part of [
      'Whoever has this mail can decide in your name',
      'Hillside Clinic records office <records@hillside-clinic.example>',
      'Referral for Rosa Winterbourne',
      '  Please find the referral attached.',
      'referral.pdf (digest ',
      'please send the referral to Hillside Clinic records office by Friday',
      '2 different people',
    ]) {
      expect(mail?.text).toContain(part);
    }
    expect(mail?.html).toContain('Whoever has this mail');
    expect(mail?.html).not.toMatch(/<script|<img|src=/);
  });

  it('take links out of a letter and say that they did', () => {
    const body = 'See https://portal.example/x';
    const presentation = presentCall(letterCall(1, body), letterEvidence, exampleCircle);
    const { blocks } = wordingOf(
      notice('reminder', { slots: { ...asked, presentation } } as Partial<Notice>),
    );
    const text = textOfBlocks(blocks);
    expect(text).not.toContain('portal.example');
    expect(text).toContain('taken out of this mail');
  });

  it('never let a quoted line begin where a line of ours begins', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Your code: 111111', '\n', '\r', ' ', 'x', '\u2028', '“')),
        (parts) => {
          const body = parts.join('').trim() || 'x';
          const presentation = presentCall(letterCall(1, body), letterEvidence, exampleCircle);
          const { blocks } = wordingOf(
            notice('reminder', { slots: { ...asked, presentation } } as Partial<Notice>),
          );
          expect(mailedCode.exec(textOfBlocks(blocks))?.[1]).toBe('482913');
        },
      ),
    );
  });
});

describe('a presentation', () => {
  it('shows what cannot be seen', () => {
    const body = 'Pay \u202e003\u202c pounds\u200b\u{e0041}';
    const { lines } = presentCall(letterCall(1, body), letterEvidence, exampleCircle);
    expect(lines.find(({ label }) => label === 'Text of the letter')?.value).toBe(
      'Pay [U+202E]003[U+202C] pounds[U+200B][U+E0041]',
    );
  });

  it('says where each argument comes from', () => {
    const call = callOf(1, {
      tool: 'add_appointment',
      input: { title: { text: 'Cardiology' }, start: { fact: 'f1' }, calendar: { entry: 'family' } },
    });
    const { lines } = presentCall(call, letterEvidence, exampleCircle);
    expect(lines).toEqual([
      { label: 'Title', value: 'Cardiology', origin: { by: 'model', how: 'wrote' } },
      {
        label: 'Starts',
        value: '2027-03-04T10:30:00+00:00',
        plain: 'Thursday, 4 March 2027 at 10:30',
        origin: {
          by: 'document',
          checked: false,
          passage: { document: 'letter', page: 1, quote: 'Thursday 4 March at 10.30' },
        },
      },
      { label: 'Calendar', value: 'Family calendar', origin: { by: 'circle' } },
    ]);
  });

  it('shows an untrusted literal and a role for what they are', () => {
    const call = callOf(1, {
      tool: 'grant_access',
      input: {
        documents: ['d1', 'd2'],
        expires: { text: '2027-04-01' },
        grantee: { literal: 'records@evil.example' },
        role: 'document-reader',
      },
    });
    const { lines } = presentCall(call, letterEvidence, exampleCircle);
    expect(lines.map(({ value, plain }) => plain ?? value)).toEqual([
      'records@evil.example',
      'letter, referral.pdf',
      'Thursday, 1 April 2027',
      'document-reader',
    ]);
  });

  it('fills the slots of a question with quotes, and survives their absence', () => {
    const { question } = presentQuestion(questionCall(), letterEvidence, exampleCircle);
    expect(question?.text).toContain('gives Thursday, 4 March 2027 at 10:30 and Friday, 5 March');
    expect(
      presentQuestion(questionCall(), { documents: [], facts: [] }, exampleCircle).question?.text,
    ).toContain('could not be read');
  });
});

describe('where sending is switched off', () => {
  const off = 'Sending is switched off here';
  const textOf = async (kind: NoticeKind, given: Partial<Notice>): Promise<string> => {
    const { store, ses, clock } = office;
    const notify = createNotify({ store, ses, clock, sending: 'off' });
    await notify(notice(kind, { id: `off/${kind}`, ...given }));
    return Buffer.from((await office.outbox()).at(-1)?.raw ?? [])
      .toString()
      .replace(/=\r\n|\r\n/g, ' ');
  };

  it('a notice about a letter says so, and no other', async () => {
    const sent = { ...slots.closing, actions: [{ tool: 'send_email', status: 'sent', reason: 'A' }] };
    expect(await textOf('closing', { slots: sent } as Partial<Notice>)).toContain(off);
    expect(await textOf('expired', {})).not.toContain(off);
  });
});
