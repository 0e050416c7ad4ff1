import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, decide } from '../../lib/approval/decide.ts';
import { mostWrong } from '../../lib/approval/entry.ts';
import { finishDecided } from '../../lib/approval/finish.ts';
import { approvalRecordSchema, declineRecordSchema } from '../../lib/approval/record.ts';
import { requestAnswer, requestApproval } from '../../lib/approval/request.ts';
import { failedCheck } from '../../lib/approval/verify.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { answerRecordSchema } from '../../lib/casefile/schemas.ts';
import { consentSchema } from '../../lib/policy/consent.ts';
import type { ApprovalId } from '../../lib/provenance/identifiers.ts';
import { type Approvals, type Mailed, startApprovals } from '../support/approvals.ts';
import { caseId, decisionOn, hour, letterCall, questionCall, requestFor } from './requests.ts';

let office: Approvals;
let action = 0;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
beforeEach(() => {
  action += 1;
  office.tasks.outputs.length = 0;
  delete office.faults.ses;
});

interface Asked {
  readonly approval: ApprovalId;
  readonly maya: Mailed;
  readonly tom: Mailed;
}

async function asked(people = 1): Promise<Asked> {
  const call = letterCall(action);
  const { approval } = await requestApproval(
    office,
    requestFor(office, call, { decision: decisionOn(call, people) }),
  );
  return { approval, ...(await newest()) };
}

async function newest(): Promise<{ maya: Mailed; tom: Mailed }> {
  const mails = await office.mails();
  const to = (address: string) => mails.findLast((mail) => mail.to.includes(address));
  const [maya, tom] = [to('maya@family.example'), to('tom@family.example')];
  if (maya === undefined || tom === undefined) throw new TypeError('somebody was not mailed');
  return { maya, tom };
}

const key = { circle: 'example-household', case: caseId } as Parameters<typeof layout.approval>[0];
const approve = ({ link, code }: Mailed) => decide(office, { link, code, choice: 'approve' as const });
const decline = ({ link, code }: Mailed, reason?: string) =>
  decide(office, { link, code, choice: 'decline' as const, reason });
const wrongCode = ({ code }: Mailed) => (code === '000000' ? '111111' : '000000');
const guess = (mail: Mailed) => decide(office, { link: mail.link, code: wrongCode(mail), choice: 'approve' });

describe('a decision', () => {
  it('is told to the waiting task and leaves a consent whose link verifies', async () => {
    const { approval, maya } = await asked();
    expect(await approve(maya)).toEqual({ approval, kind: 'approval', status: 'approved' });
    expect(office.tasks.outputs).toEqual([{ decision: 'approved', approval, people: ['maya'] }]);
    const consent = await readRecord(office.store, layout.consent(key, action, 'maya'), consentSchema);
    expect(await failedCheck(consent, office.publicKey)).toBeUndefined();
  });

  it('to decline is told with the reason recorded and nothing consented', async () => {
    const { approval, maya } = await asked();
    expect(await decline(maya, '  We go ourselves.  ')).toEqual({
      approval,
      kind: 'approval',
      status: 'declined',
    });
    expect(office.tasks.outputs).toEqual([{ decision: 'declined', approval, people: ['maya'] }]);
    const record = await readRecord(office.store, layout.decline(key, action), declineRecordSchema);
    expect(record).toMatchObject({ person: 'maya', reason: 'We go ourselves.' });
    expect(await office.store.list(layout.consents(key, action))).toEqual([]);
  });

  it('is taken once: the second person is told that it was decided', async () => {
    const { maya, tom } = await asked();
    await approve(maya);
    await expect(decline(tom)).toFailWithCode('APPROVAL_CLOSED');
    await expect(approve(maya)).toFailWithCode('APPROVAL_CLOSED');
    expect(office.tasks.outputs).toHaveLength(1);
  });

  it('of ten at once takes effect once', async () => {
    const { maya, tom } = await asked();
    const tries = Array.from({ length: 10 }, (_, turn) => (turn % 2 === 0 ? approve(maya) : decline(tom)));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['APPROVAL_CLOSED']));
    expect(office.tasks.outputs).toHaveLength(1);
  });

  it('needs as many different people as the rules ask for', async () => {
    const { approval, maya, tom } = await asked(2);
    expect(await approve(maya)).toEqual({ approval, kind: 'approval', status: 'pending' });
    expect(office.tasks.outputs).toEqual([]);
    await expect(approve(maya)).toFailWithCode('APPROVAL_CLOSED');
    expect(await approve(tom)).toEqual({ approval, kind: 'approval', status: 'approved' });
    expect(office.tasks.outputs).toEqual([{ decision: 'approved', approval, people: ['maya', 'tom'] }]);
    expect(await office.store.list(layout.consents(key, action))).toHaveLength(2);
  });

  it('of two people at once counts both', async () => {
    const { maya, tom } = await asked(2);
    const results = await Promise.all([approve(maya), approve(tom)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['approved', 'pending']);
    expect(office.tasks.outputs).toHaveLength(1);
  });

  it('of one of two to decline ends it for both', async () => {
    const { maya, tom } = await asked(2);
    await approve(maya);
    expect((await decline(tom)).status).toBe('declined');
    expect(office.tasks.outputs).toMatchObject([{ decision: 'declined' }]);
  });

  it('after the time is over is refused, and nothing is told', async () => {
    const { maya } = await asked();
    office.clock.advance(72 * hour);
    await expect(approve(maya)).toFailWithCode('APPROVAL_CLOSED');
    expect(office.tasks.outputs).toEqual([]);
  });

  it('is refused for a link of another purpose, an unknown approval and a reason without end', async () => {
    const { maya } = await asked();
    await expect(answer(office, { ...maya, text: 'yes' })).toFailWithCode('APPROVAL_LINK_INVALID');
    await expect(decline(maya, 'x'.repeat(501))).toFailWithCode('INVALID_INPUT');
    const elsewhere = { ...office, register: { ...office.register, find: async () => undefined } };
    await expect(decide(elsewhere as unknown as Approvals, { ...maya, choice: 'approve' })).toFailWithCode(
      'APPROVAL_LINK_INVALID',
    );
  });
});

describe('a code', () => {
  it('that is wrong never decides', async () => {
    const { maya } = await asked();
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^\d{6}$/).filter((code) => code !== maya.code),
        fc.constantFrom('approve' as const, 'decline' as const),
        async (code, choice) => {
          await expect(decide(office, { link: maya.link, code, choice })).toFailWithCode(
            'APPROVAL_CODE_WRONG',
          );
          expect(office.tasks.outputs).toEqual([]);
          office.clock.advance(hour);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('of one person does not open the link of another', async () => {
    const { maya, tom } = await asked();
    const crossed = decide(office, { link: maya.link, code: tom.code, choice: 'approve' });
    if (maya.code === tom.code) await crossed;
    else await expect(crossed).toFailWithCode('APPROVAL_CODE_WRONG');
  });

  it('locks the link after five wrong ones, for fifteen minutes, for this person alone', async () => {
    const { maya, tom } = await asked();
    for (let turn = 0; turn < mostWrong; turn += 1)
      await expect(guess(maya)).toFailWithCode('APPROVAL_CODE_WRONG');
    await expect(guess(maya)).toFailWithCode('APPROVAL_LOCKED');
    await expect(approve(maya)).toFailWithCode('APPROVAL_LOCKED');
    office.clock.advance(15 * 60_000 - 1);
    await expect(approve(maya)).toFailWithCode('APPROVAL_LOCKED');
    office.clock.advance(1);
    await expect(guess(maya)).toFailWithCode('APPROVAL_CODE_WRONG');
    expect((await approve(tom)).status).toBe('approved');
  });

  it('that is right still works after a lock has passed', async () => {
    const { maya } = await asked();
    for (let turn = 0; turn < mostWrong; turn += 1)
      await expect(guess(maya)).toFailWithCode('APPROVAL_CODE_WRONG');
    office.clock.advance(15 * 60_000);
    expect((await approve(maya)).status).toBe('approved');
  });

  it('is judged five times at most, however many are tried at once', async () => {
    const { approval, maya } = await asked();
    const codes = (await Promise.allSettled(Array.from({ length: 12 }, () => guess(maya)))).map((result) =>
      result.status === 'rejected' ? result.reason.code : 'decided',
    );
    expect(codes.filter((code) => code === 'APPROVAL_CODE_WRONG')).toHaveLength(mostWrong);
    expect(codes.filter((code) => code === 'APPROVAL_LOCKED')).toHaveLength(12 - mostWrong);
    expect((await office.register.view(approval))?.people.maya?.wrong).toBe(mostWrong);
  });

  it('that is malformed is not counted', async () => {
    const { approval, maya } = await asked();
    for (const code of ['', '12345', '1234567', 'abcdef', '12 34']) {
      await expect(decide(office, { link: maya.link, code, choice: 'approve' })).toFailWithCode(
        'INVALID_INPUT',
      );
    }
    expect((await office.register.view(approval))?.people.maya?.wrong).toBe(0);
  });
});

describe('a callback', () => {
  it('that did not arrive is told by the next request', async () => {
    const { approval, maya, tom } = await asked();
    office.tasks.lose = 'before';
    expect((await approve(maya)).status).toBe('approved');
    expect(office.tasks.outputs).toEqual([]);
    expect((await office.register.listUnfinished(office.circle.id)).map(({ id }) => id)).toContain(approval);
    await expect(approve(tom)).toFailWithCode('APPROVAL_CLOSED');
    expect(office.tasks.outputs).toMatchObject([{ decision: 'approved', people: ['maya'] }]);
    expect((await office.register.listUnfinished(office.circle.id)).map(({ id }) => id)).not.toContain(
      approval,
    );
  });

  it('whose reply was lost is recognised, not sent to a second effect', async () => {
    const { approval, maya } = await asked();
    office.tasks.lose = 'after';
    await approve(maya);
    expect(await finishDecided(office, approval)).toBe('confirmed');
    expect(office.tasks.outputs).toHaveLength(1);
    expect(await finishDecided(office, approval)).toBe('confirmed');
  });

  it('that nobody waits for any more is shown as too late', async () => {
    const { approval, maya } = await asked();
    office.tasks.timeOut(`token-${action}`);
    expect(await approve(maya)).toEqual({ approval, kind: 'approval', status: 'expired' });
    expect((await office.register.view(approval))?.callback).toBe('refused');
  });

  it('is not made before there is a decision, or for nothing', async () => {
    const { approval } = await asked();
    expect(await finishDecided(office, approval)).toBe('open');
    expect(await finishDecided(office, 'AAAAAAAAAAAAAAAAAAAAAA' as ApprovalId)).toBe('open');
  });

  it('goes to the token of a task that was tried again', async () => {
    const { approval, maya } = await asked();
    const again = await requestApproval(
      office,
      requestFor(office, letterCall(action), { taskToken: 'renewed' }),
    );
    expect(again.approval).toBe(approval);
    office.tasks.timeOut(`token-${action}`);
    expect((await approve(maya)).status).toBe('approved');
    expect(office.tasks.outputs).toHaveLength(1);
  });

  it('reaches a task that was tried again after the decision', async () => {
    const { approval, maya } = await asked();
    office.tasks.timeOut(`token-${action}`);
    await approve(maya);
    await requestApproval(office, requestFor(office, letterCall(action), { taskToken: 'late' }));
    expect(await finishDecided(office, approval)).toBe('confirmed');
    expect(office.tasks.outputs).toMatchObject([{ decision: 'approved' }]);
  });
});

describe('an answer', () => {
  async function questioned() {
    const { approval } = await requestAnswer(office, requestFor(office, questionCall(action)));
    return { approval, ...(await newest()) };
  }

  it('is recorded once and told by pointer alone', async () => {
    const { approval, maya, tom } = await questioned();
    expect(await answer(office, { ...maya, text: ' The Thursday. ' })).toEqual({
      approval,
      kind: 'question',
      status: 'answered',
    });
    expect(office.tasks.outputs).toEqual([{ answered: true, approval }]);
    const record = await readRecord(office.store, layout.answer(key, action), answerRecordSchema);
    expect(record).toMatchObject({ person: 'maya', question: 'which_appointment', text: 'The Thursday.' });
    await expect(answer(office, { ...tom, text: 'The Friday.' })).toFailWithCode('APPROVAL_CLOSED');
  });

  it('is refused where it is empty, endless or meant as an approval', async () => {
    const { maya } = await questioned();
    await expect(answer(office, { ...maya, text: '  ' })).toFailWithCode('INVALID_INPUT');
    await expect(answer(office, { ...maya, text: 'x'.repeat(5001) })).toFailWithCode('INVALID_INPUT');
    await expect(approve(maya)).toFailWithCode('APPROVAL_LINK_INVALID');
  });
});

describe('what is recorded', () => {
  it('holds the exact presentation and neither code, link nor token', async () => {
    const { maya } = await asked();
    const object = await office.store.read(layout.approval(key, action));
    const text = Buffer.from(object.bytes).toString();
    for (const secret of [maya.code, maya.link, `token-${action}`]) expect(text).not.toContain(secret);
    const record = await readRecord(office.store, layout.approval(key, action), approvalRecordSchema);
    expect(record.presentation.lines.map(({ label }) => label)).toEqual([
      'To',
      'Subject',
      'Text of the letter',
      'Attachments',
    ]);
  });

  it('shows a view without any secret', async () => {
    const { approval, maya } = await asked();
    const text = JSON.stringify(await office.register.view(approval));
    for (const secret of [maya.link, `token-${action}`, 'hashes', 'salt', 'secrets'])
      expect(text).not.toContain(secret);
  });
});
