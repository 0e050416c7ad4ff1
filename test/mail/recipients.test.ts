import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { ingest } from '../../lib/mail/ingest.ts';
import { sweepInbox } from '../../lib/mail/sweep.ts';
import { receivedFor } from '../../lib/mail/trace.ts';
import type { CircleId } from '../../lib/provenance/identifiers.ts';
import { exampleCircle } from '../support/cases.ts';
import { rawMail } from '../support/maildelivery.ts';
import { eventOf, type Intake, openIntake, started } from './intake.ts';

const other = { ...exampleCircle, id: 'other-household' as CircleId, inbox: 'other@inbox.example' };
const raw = rawMail('From: tom@family.example', 'Subject: A letter', '', 'Please file this.');
let intake: Intake;
beforeEach(async () => {
  intake = await openIntake();
});

/** A mail arrives for these recipients, in a deployment of both circles. */
async function arrive(id: string, recipients: readonly string[], circles = [exampleCircle, other]) {
  if ((await intake.inbox.find(`mail/${id}`)) === undefined) await intake.inbox.create(`mail/${id}`, raw);
  const event = eventOf({ id, raw });
  for (const { ses } of event.Records) ses.receipt.recipients = [...recipients];
  return ingest({ ...intake, circles }, event);
}
const startingOf = async (id: string) =>
  JSON.parse(new TextDecoder().decode((await intake.store.read(layout.starting(id))).bytes));

describe('a mail in a deployment of two circles', () => {
  it('starts a case of the circle whose inbox its envelope names', async () => {
    expect(await arrive('a', ['care@inbox.example'])).toEqual({ unassigned: 0 });
    expect(await startingOf('a')).toMatchObject({ circle: 'example-household' });
    await arrive('b', ['OTHER@inbox.example', 'someone@else.example']);
    expect(await startingOf('b')).toMatchObject({ circle: 'other-household' });
    expect(await started(intake)).toHaveLength(2);
  });

  it('to both starts a case in each, as two mailboxes would each get it', async () => {
    await arrive('a', ['care@inbox.example', 'other@inbox.example']);
    await arrive('a', ['care@inbox.example', 'other@inbox.example']);
    expect(await started(intake)).toHaveLength(2);
    expect(await startingOf('a')).toMatchObject({
      circle: 'example-household',
      others: [{ circle: 'other-household' }],
    });
  });

  it('to neither is kept, recorded and counted, and taken up once it has a circle', async () => {
    expect(await arrive('a', ['new@inbox.example'])).toEqual({ unassigned: 1 });
    expect(await arrive('a', ['new@inbox.example'])).toEqual({ unassigned: 1 });
    expect(await started(intake)).toEqual([]);
    const record = await intake.store.read(layout.unassigned('a'));
    expect(JSON.parse(new TextDecoder().decode(record.bytes))).toMatchObject({ reason: 'NO_CIRCLE' });
    const none = { started: 0, unassigned: 0 };
    expect(await sweepInbox({ ...intake, circles: [exampleCircle, other] })).toEqual(none);
    const added = { ...other, id: 'new-household' as CircleId, inbox: 'new@inbox.example' };
    expect(await sweepInbox({ ...intake, circles: [exampleCircle, added] })).toEqual({ ...none, started: 1 });
    expect(await startingOf('a')).toMatchObject({ circle: 'new-household' });
  });

  it('to neither, whose event was lost, is counted by the sweep that finds it, and by no later one', async () => {
    const received =
      'Received: from mail.example by inbox.example with SMTP id 7 for <old@inbox.example>; Mon, 1 Mar 2027 09:00:00 +0000';
    await intake.inbox.create('mail/a', Buffer.concat([Buffer.from(`${received}\r\n`), raw]));
    intake.clock.advance(11 * 60_000);
    expect(await sweepInbox({ ...intake, circles: [exampleCircle, other] })).toEqual({
      started: 0,
      unassigned: 1,
    });
    expect(await sweepInbox({ ...intake, circles: [exampleCircle, other] })).toEqual({
      started: 0,
      unassigned: 0,
    });
  });

  it('whose event was lost goes to the inbox that our own receiver noted', async () => {
    const received =
      'Received: from mail.example by inbox.example with SMTP id 7\r\n for <other@inbox.example>;\r\n Mon, 1 Mar 2027 09:00:00 +0000';
    await intake.inbox.create('mail/a', Buffer.concat([Buffer.from(`${received}\r\n`), raw]));
    intake.clock.advance(11 * 60_000);
    expect((await sweepInbox({ ...intake, circles: [exampleCircle, other] })).started).toBe(1);
    expect(await startingOf('a')).toMatchObject({ circle: 'other-household' });
  });
});

describe('the recipient in the trace', () => {
  const of = (...lines: string[]) => receivedFor(rawMail(...lines, '', 'Text'));
  it('is read from the first header of our receiver, and from nothing that a sender wrote', () => {
    const ours =
      'Received: from a by b with SMTP id 1 for care@inbox.example; Mon, 1 Mar 2027 09:00:00 +0000';
    const theirs = 'Received: from c by d for evil@else.example; Mon, 1 Mar 2027 08:00:00 +0000';
    expect(of(ours, theirs, 'From: a@b.example')).toBe('care@inbox.example');
    expect(of('Return-Path: <a@b.example>', ours)).toBe('care@inbox.example');
    expect(of('From: a@b.example', theirs)).toBeUndefined();
    expect(of('Received: from a by b; Mon, 1 Mar 2027 09:00:00 +0000', theirs)).toBeUndefined();
  });
});
