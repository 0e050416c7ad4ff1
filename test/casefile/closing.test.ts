import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionNumbers, readActions } from '../../lib/casefile/actions.ts';
import { closeCase } from '../../lib/casefile/closing.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { recordOutcome } from '../../lib/casefile/outcome.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { closingRecordSchema } from '../../lib/casefile/schemas.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { at, decided, newCase } from './casebench.ts';

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
const close = (key: ReturnType<typeof newCase>, standing: string, reason = 'PERSON_VERIFIED') =>
  closeCase(office, { ...key, standing, reason });
const closingOf = (key: ReturnType<typeof newCase>) =>
  readRecord(office.store, layout.closing(key, key.execution), closingRecordSchema);

describe('the actions of a case', () => {
  it('are none at first, and are counted by number, also where one was only begun', async () => {
    const key = newCase();
    expect(await actionNumbers(office.store, key)).toEqual([]);
    expect(await readActions(office.store, key)).toEqual([]);
    await decided(office, key, 10, 'file_document');
    await decided(office, key, 2, 'file_document');
    await office.store.create(layout.attempt(key, 11), '{}');
    expect(await actionNumbers(office.store, key)).toEqual([2, 10, 11]);
    const [first, , begun] = await readActions(office.store, key);
    expect(first).toMatchObject({ action: 2, proposal: { tool: 'file_document' }, outcome: undefined });
    expect(begun).toEqual({ action: 11, proposal: undefined, decision: undefined, outcome: undefined });
  });

  it('of another case are not among them, even if its id is longer', async () => {
    const key = newCase();
    const longer = { ...key, case: `${key.case}0` as typeof key.case };
    await decided(office, longer, 1, 'file_document');
    expect(await actionNumbers(office.store, key)).toEqual([]);
  });
});

describe('a closed case', () => {
  it('lists each action with its decision and how it ended, and not that planning stopped', async () => {
    const key = newCase();
    await decided(office, key, 1, 'file_document');
    await recordOutcome(office, { ...key, action: 1, status: 'verified', reason: 'FILED' });
    await decided(office, key, 2, 'stage_items');
    await decided(office, key, 3, 'no_further_action');
    await office.store.create(layout.attempt(key, 4), '{}');
    expect(await close(key, 'accepted')).toEqual({ status: 'closed', tell: true });
    const line = { outcome: 'ALLOW', reason: 'FILING_IS_SAFE' };
    expect(await closingOf(key)).toEqual({
      ...{ execution: key.execution, status: 'closed', reason: 'EVERYTHING_DONE', at },
      actions: [
        { action: 1, tool: 'file_document', ...line, status: 'verified' },
        { action: 2, tool: 'stage_items', ...line, status: 'noted' },
      ],
    });
    expect(await office.index.find(key)).toMatchObject({ status: 'closed', reason: 'EVERYTHING_DONE' });
  });

  it('stays as it was closed when the step is repeated, and people are told of it again', async () => {
    const key = newCase();
    await close(key, 'contact');
    await decided(office, key, 1, 'file_document');
    office.clock.advance(1000);
    expect(await close(key, 'contact')).toEqual({ status: 'closed', tell: true });
    expect((await closingOf(key)).actions).toEqual([]);
  });
});

describe('a mail that is set aside', () => {
  it('as deferred is told of once a day, by whoever came first', async () => {
    const standing = 'deferred';
    const [first, second] = [newCase(false), newCase(false)];
    expect(await close(first, standing, 'SPAM_FOUND')).toEqual({ status: standing, tell: true });
    expect(await close(second, standing, 'SPAM_FOUND')).toEqual({ status: standing, tell: false });
    expect(await close(first, standing, 'SPAM_FOUND')).toEqual({ status: standing, tell: true });
    expect(await closingOf(second)).toMatchObject({ status: standing, reason: 'SPAM_FOUND' });
    office.clock.advance(86_400_000);
    expect(await close(newCase(false), standing, 'SPAM_FOUND')).toMatchObject({ tell: true });
  });

  it('as quarantined waits for the summary of the day', async () => {
    const key = newCase(false);
    expect(await close(key, 'quarantined', 'SPAM_FOUND')).toEqual({ status: 'quarantined', tell: false });
    expect(await office.index.find(key)).toMatchObject({ status: 'quarantined', reason: 'SPAM_FOUND' });
  });

  it('as ignored is listed and never told of', async () => {
    const key = newCase(false);
    expect(await close(key, 'ignored', 'BOUNCE')).toEqual({ status: 'ignored', tell: false });
    expect(await office.index.find(key)).toMatchObject({ status: 'ignored', reason: 'BOUNCE' });
  });

  it.each([
    ['a mailbox asks to forward here', 'FORWARDING_CONFIRMATION'],
    ['a person answered a notice', 'REPLY_TO_NOTICE'],
  ])('as ignored is told of where %s', async (_what, reason) => {
    const closed = await close(newCase(false), 'ignored', reason);
    expect(closed).toEqual({ status: 'ignored', tell: true });
  });

  it('fails if the store cannot say who came first', async () => {
    const other = await startApprovals();
    const key = newCase(false);
    await closeCase(other, { ...key, standing: 'deferred', reason: 'SPAM_FOUND' });
    await other[Symbol.asyncDispose]();
    const failed = closeCase(other, { ...key, standing: 'deferred', reason: 'SPAM_FOUND' });
    await expect(failed).toFailWithCode('STORE_UNAVAILABLE');
  });
});
