import { InvokeCommand } from '@aws-sdk/client-lambda';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/provenance/clock.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { mailOf } from '../support/letters.ts';
import { readOutbox } from '../support/outbox.ts';

const maya = 'maya@family.example';
/** A year in which the third of April is still to come, whatever day the test runs on. */
const year = new Date(systemClock.now()).getUTCFullYear() + 1;

function letter(subject: string, text: string): Promise<Uint8Array> {
  return mailOf({ from: `Maya <${maya}>`, to: 'care@inbox.example', subject, text });
}

describe('what waits for a person', () => {
  let office: EmbeddedOffice;
  beforeAll(async () => {
    office = await embeddedOffice();
  });
  afterAll(() => office.running.close());

  it('a date that can be read in two ways is asked for, and the answer becomes the appointment', async () => {
    const report = await office.hand(
      await letter(
        'Cardiology review',
        'Your appointment for a cardiology review is on 03/04 at 10:30.\n\nWhere: Northgate Cardiology, Room 4\n',
      ),
      maya,
    );
    expect(report.status).toBe('awaiting_answer');
    const link = await office.link(report.approvals[0]?.id);
    expect(
      await office.submit(link, { code: link.code, choice: 'answer', answer: `3 April ${year} at 10:30` }),
    ).toBe(200);
    const after = await office.settled(report.case);
    expect(after.status).toBe('closed');
    expect(after.actions.map(({ tool, status }) => `${tool} ${status}`)).toContain('ask_person answered');
    const added = after.actions.find(({ tool }) => tool === 'add_appointment');
    expect(added).toMatchObject({ decision: 'ALLOW', reason: 'DATES_CONTROLLED', status: 'verified' });
    const calendar = await office.office.store.read(added?.effect?.key ?? '');
    expect(new TextDecoder().decode(calendar.bytes)).toContain(`DTSTART:${year}0403T093000Z`);
  }, 60_000);

  it('a declined letter is never sent, and the reason is told', async () => {
    const report = await office.hand(
      await letter(
        'Fwd: records request',
        'Please send us the consent form. Reply to records@hillside-clinic.example.\n\nHillside Clinic records office\n',
      ),
      maya,
    );
    expect(report.status).toBe('awaiting_approval');
    const link = await office.link(report.approvals[0]?.id);
    expect(
      await office.submit(link, { code: link.code, choice: 'decline', reason: 'I will call them' }),
    ).toBe(200);
    const after = await office.settled(report.case);
    expect(after.actions.find(({ tool }) => tool === 'send_email')).toMatchObject({ status: 'declined' });
    expect(await office.submit(link, { code: link.code, choice: 'approve' })).toBe(409);
    await office.running.idle();
    const mails = await readOutbox(office.outbox);
    expect(mails.flatMap(({ destinations }) => destinations)).not.toContain(
      'records@hillside-clinic.example',
    );
    const told = await Promise.all(mails.map(({ raw }) => simpleParser(Buffer.from(raw))));
    expect(
      told.some(
        ({ subject = '', text = '' }) => /^Declined/.test(subject) && text.includes('I will call them'),
      ),
    ).toBe(true);
  }, 60_000);

  it('a mail in quarantine is released by a person, and then read like any other', async () => {
    const stranger = 'someone@elsewhere.example';
    const raw = await mailOf({
      from: `Someone <${stranger}>`,
      to: 'care@inbox.example',
      subject: 'Receipt 4411',
      text: 'Receipt for your purchase\nKettle GBP 29.99\nThank you for your order.\n',
    });
    const held = await office.hand(raw, stranger);
    expect(held).toMatchObject({ status: 'quarantined', reason: 'SENDER_UNKNOWN', actions: [] });
    const { lambda, circle } = office.office;
    const answer = await lambda.send(
      new InvokeCommand({
        FunctionName: 'resume',
        Payload: Buffer.from(JSON.stringify({ circle, case: held.case })),
      }),
    );
    const released = JSON.parse(new TextDecoder().decode(answer.Payload)) as { case: string };
    expect(released.case).toMatch(/^c-/);
    const after = await office.settled(released.case);
    expect(after.category).toBe('receipt');
    expect(['closed', 'awaiting_answer']).toContain(after.status);
  }, 60_000);
});
