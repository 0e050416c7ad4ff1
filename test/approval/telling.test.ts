import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForAnswer, askForApproval } from '../../lib/approval/asking.ts';
import { decide } from '../../lib/approval/decide.ts';
import { noticeInputSchema, toNotice } from '../../lib/approval/noticeinput.ts';
import { type TellingKind, tell, tellingKinds } from '../../lib/approval/telling.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { writeRecord } from '../../lib/casefile/record.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { exampleCircle } from '../support/cases.ts';
import { askWhich, at, caseKey, openCase, propose, sendLetter } from './casefile.ts';
import { caseId } from './requests.ts';

let office: Approvals;
const step = { ...caseKey, execution: caseId };
beforeAll(async () => {
  office = await startApprovals();
  await openCase(office);
  await propose(office, 1, sendLetter, 'declined');
  await propose(office, 2, askWhich, 'answered');
  await writeRecord(office.store, layout.parked(caseKey, caseId), {
    execution: caseId,
    reason: 'MODEL_UNAVAILABLE',
    at,
  });
  const line = {
    action: 1,
    tool: 'send_email',
    outcome: 'REQUIRE_HUMAN',
    reason: 'LEAVES_THE_HOUSEHOLD',
    status: 'sent',
  };
  await writeRecord(office.store, layout.closing(caseKey, caseId), {
    ...{ execution: caseId, status: 'closed', reason: 'EVERYTHING_DONE', actions: [line], at },
  });
  for (const [action, ask] of [
    [1, askForApproval],
    [2, askForAnswer],
  ] as const) {
    office.tasks.wait(`token-${action}`);
    await ask(office, { ...step, action, token: `token-${action}` });
  }
});
afterAll(async () => office[Symbol.asyncDispose]());

describe('asking', () => {
  it('shows people the call as it would be executed, built anew from the case file', async () => {
    const mails = await office.mails();
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Please decide: Send a letter by email (for Rosa Winterbourne)',
      'Please decide: Send a letter by email (for Rosa Winterbourne)',
      'A question for Rosa Winterbourne',
      'A question for Rosa Winterbourne',
    ]);
    const [mail] = mails;
    await decide(office, {
      link: mail?.link ?? '',
      code: mail?.code ?? '',
      choice: 'decline',
      reason: 'Not yet.',
    });
    expect(office.tasks.outputs).toMatchObject([{ decision: 'declined' }]);
  });
});

describe('telling', () => {
  const others = tellingKinds.filter((kind) => kind !== 'ignored');

  it.each(others)('%s reaches the right people and quotes the mail without its link', async (kind) => {
    const action = ['closed', 'deferred', 'parked', 'failed_run'].includes(kind) ? {} : { action: 1 };
    const before = (await office.mails()).length;
    const { sent } = await tell(office, { ...step, ...action, kind });
    expect(sent).toEqual(kind === 'closed' ? ['tom'] : ['tom', 'maya']);
    const mails = (await office.mails()).slice(before);
    expect(mails).toHaveLength(sent.length);
    for (const { text, html, subject } of mails)
      expect(`${subject}${text}${html}`).not.toContain('evil.example');
    expect(mails[0]?.text).toContain('> Open [link removed] at once');
    expect(await tell(office, { ...step, ...action, kind })).toMatchObject({ sent: [] });
  });

  it('of a declined action gives the reason that the person gave', async () => {
    const declined = (await office.mails()).filter(({ subject }) => subject.startsWith('Declined'));
    expect(declined[0]?.text).toContain('Maya Winterbourne declined this');
    expect(declined[0]?.text).toContain('> Not yet.');
  });

  it('of what was approved and could no longer be done says why, and not why it was asked about', async () => {
    await propose(office, 3, sendLetter, 'refused', 'CALL_CHANGED');
    await tell(office, { ...step, action: 3, kind: 'refused' });
    const { text } = (await office.mails()).at(-1) ?? {};
    expect(text).toContain('Caregate did not do this after all.');
    expect(text).toContain('an entry of your household that it names was changed or taken out');
  });

  it('of an action that was never decided is refused', async () => {
    await expect(tell(office, { ...step, kind: 'expired', action: 9 })).toFailWithCode('NOT_FOUND');
  });

  it('of a run whose case was never made reaches the owner, with no word of a mail', async () => {
    const missing = { ...step, case: `c-${'0'.repeat(32)}` as typeof step.case, execution: 'lost' };
    expect(await tell(office, { ...missing, kind: 'failed_run' as TellingKind })).toMatchObject({
      sent: ['maya'],
    });
  });
});

describe('telling of a case that nobody of the circle sent', () => {
  it.each([
    ['holds a virus and is not quoted', { standing: 'quarantined', reason: 'VIRUS_FOUND' }, false],
    ['is from a contact', { standing: 'contact', reason: 'CONTACT_VERIFIED' }, true],
  ])('reaches the owner: one that %s', async (_name, judgement, quoted) => {
    await using other = await startApprovals();
    await openCase(other, { sender: { list: 'contacts', id: 'hillside-records' }, ...judgement });
    const closing = { execution: caseId, status: 'deferred', reason: 'VIRUS_FOUND', actions: [], at };
    await writeRecord(other.store, layout.closing(caseKey, caseId), closing);
    for (const kind of ['deferred', 'closed'] as const)
      expect(await tell(other, { ...step, kind })).toMatchObject({ sent: ['maya'] });
    const [first, second] = await other.mails();
    expect(first?.text.includes('> Open [link removed] at once')).toBe(quoted);
    expect(second?.text.includes('> Open [link removed] at once')).toBe(quoted);
  });
});

describe('telling whoever answered a notice', () => {
  it('shows the way to the page, once a day, to that person alone', async () => {
    await using other = await startApprovals();
    const sender = { list: 'people', id: 'tom' };
    await openCase(other, { standing: 'ignored', reason: 'REPLY_TO_NOTICE', sender });
    expect(await tell(other, { ...step, kind: 'ignored' })).toEqual({ sent: ['tom'], before: [] });
    expect(await tell(other, { ...step, kind: 'ignored' })).toEqual({ sent: [], before: ['tom'] });
    const [mail] = await other.mails();
    expect(mail?.text).toContain('open the link in that mail');
    expect(mail?.text).not.toMatch(/https?:/);
  });
});

describe('telling of a mailbox that asks to forward here', () => {
  const judgement = { standing: 'ignored', reason: 'FORWARDING_CONFIRMATION' };
  const letter = {
    from: 'Gmail Team <forwarding-noreply@google.com>',
    subject: '(#123456789) Gmail Forwarding Confirmation - Receive Mail from tom@family.example',
    text: 'To allow it, follow https://mail.example/confirm',
  };

  it('shows the code to the owner and to whose mailbox it is, and no link', async () => {
    await using other = await startApprovals();
    await openCase(other, judgement, letter);
    expect(await tell(other, { ...step, kind: 'ignored' })).toMatchObject({ sent: ['tom', 'maya'] });
    for (const { text, html } of await other.mails()) {
      expect(text).toContain('123456789');
      expect(text).toContain('the mailbox of Tom');
      expect(`${text}${html}`).not.toContain('mail.example');
    }
  });

  it('tells nothing of another mail that is ignored', async () => {
    await using other = await startApprovals();
    await openCase(other, { standing: 'ignored', reason: 'BOUNCE' }, letter);
    await expect(tell(other, { ...step, kind: 'ignored' })).rejects.toThrow();
    expect(await other.mails()).toEqual([]);
  });
});

describe('a notice that one function hands to another', () => {
  it('gets the circle of whoever sends it', () => {
    const notice = {
      id: 'x',
      kind: 'expired',
      people: ['maya'],
      slots: { case: caseId, tool: 'send_email' },
    };
    const input = noticeInputSchema.parse({ circle: exampleCircle.id, notice });
    expect(toNotice(input, exampleCircle)).toEqual({ ...notice, circle: exampleCircle });
    expect(
      noticeInputSchema.safeParse({ circle: exampleCircle.id, notice: { ...notice, circle: {} } }).success,
    ).toBe(false);
  });
});
