import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../lib/evidence/evidence.ts';
import { parseMessage } from '../../../lib/mail/message.ts';
import type { Category } from '../../../lib/proposal/catalogue.ts';
import { samples } from '../../../samples/index.ts';
import { attackerAddress } from '../../../samples/referral.ts';
import { exampleCircle } from '../../support/cases.ts';
import { planned, readingTime, triaged } from '../../support/reader.ts';
import { ManualClock } from '../../support/time.ts';

const clock = new ManualClock(readingTime);
const all = await samples(clock, exampleCircle);

async function journey(name: string) {
  const sample = all.find((candidate) => candidate.name === name);
  const message = await parseMessage(sample?.raw ?? new Uint8Array());
  const { evidence } = await readEvidence(message, { circle: exampleCircle, clock });
  const category = (await triaged(evidence)) as Category;
  const { proposals, reason, refused } = await planned(evidence, category);
  return { evidence, category, proposals, reason, refused, tools: proposals.map(({ tool }) => tool) };
}

describe('the samples, read by the offline reader', () => {
  it('the appointment letter: added by checked facts, and filed', async () => {
    const { category, tools, proposals, evidence } = await journey('appointment-letter');
    expect([category, tools]).toEqual(['appointment', ['add_appointment', 'file_document']]);
    const start = proposals[0]?.input.start as { fact: string };
    expect(evidence.facts.find(({ id }) => id === start.fact)).toMatchObject({ trust: 'CONTROLLED' });
    expect(proposals[1]?.input).toMatchObject({ folder: { entry: 'appointments' } });
  });

  it('the invitation: added once, with its UID', async () => {
    const { category, tools, proposals } = await journey('calendar-invitation');
    expect([category, tools]).toEqual(['appointment', ['add_appointment']]);
    expect(proposals[0]?.input).toHaveProperty('uid');
  });

  it('the referral: filed, and its order obeyed only as far as the refusal', async () => {
    const { category, tools, proposals, refused } = await journey('referral-with-orders');
    expect([category, tools, refused]).toEqual(['referral', ['file_document', 'send_email'], 1]);
    expect(proposals[0]?.input).toMatchObject({ folder: { entry: 'referrals' } });
    expect(proposals[1]?.input).toMatchObject({ to: { literal: attackerAddress } });
  });

  it('the records request: the form is filed and goes to the contact', async () => {
    const { category, tools, proposals, refused } = await journey('records-request');
    expect([category, tools, refused]).toEqual(['records_request', ['file_document', 'send_email'], 0]);
    expect(proposals[0]?.input).toMatchObject({ folder: { entry: 'records' } });
    expect(proposals[1]?.input).toMatchObject({
      to: { literal: 'records@hillside-clinic.example' },
      attachments: [proposals[0]?.input.document],
    });
  });

  it('the letter with three appointments: each added, and filed once', async () => {
    const { category, tools } = await journey('three-appointments');
    expect(category).toBe('appointment');
    expect(tools).toEqual(['add_appointment', 'add_appointment', 'add_appointment', 'file_document']);
  });

  it('the receipt: filed with the receipts, and nothing else', async () => {
    const { category, tools, proposals } = await journey('washing-machine-receipt');
    expect([category, tools]).toEqual(['receipt', ['file_document']]);
    expect(proposals[0]?.input).toMatchObject({ folder: { entry: 'receipts' } });
  });
});
