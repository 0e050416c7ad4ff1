import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import type { Delivery } from '../../lib/mail/delivery.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { judge } from '../../lib/mail/sender.ts';
import { messageIdOf } from '../../lib/mail/trace.ts';
import { loadCircle } from '../../lib/provenance/circle.ts';
import { type Sample, samples } from '../../samples/index.ts';
import { attackerAddress } from '../../samples/referral.ts';
import { ManualClock } from '../support/time.ts';

const circle = loadCircle('rules/circle.example.yaml');
const clock = new ManualClock('2027-02-10T08:00:00Z');
const all = await samples(clock, circle);

function deliveryOf({ name, from }: Sample): Delivery {
  const verdicts = { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' } as const;
  return {
    id: name,
    receivedAt: '2027-02-10T08:00:00Z',
    source: from,
    recipients: [circle.inbox],
    verdicts,
    mail: { bucket: 'inbox', key: name },
  };
}

async function factsOf(name: string, at = clock) {
  const sample = (await samples(at, circle)).find((each) => each.name === name);
  if (sample === undefined) throw new Error(`there is no sample ${name}`);
  const { evidence } = await readEvidence(await parseMessage(sample.raw), { circle, clock: at });
  return evidence.facts;
}

describe('the samples as the stages read them', () => {
  it('parse, each as a message of its own', async () => {
    const messages = await Promise.all(all.map(({ raw }) => parseMessage(raw)));
    expect(messages.map(({ id }) => id)).toEqual(all.map(({ raw }) => messageIdOf(raw)));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(7);
    for (const message of messages) expect(message.automatic).toBeUndefined();
  });

  it('come from two people, a contact and a stranger, who is held back', async () => {
    const standings = await Promise.all(
      all.map(async (sample) => {
        const { standing } = judge(await parseMessage(sample.raw), deliveryOf(sample), circle);
        return [sample.name, standing];
      }),
    );
    expect(Object.fromEntries(standings)).toEqual({
      'appointment-letter': 'accepted',
      'calendar-invitation': 'contact',
      'referral-with-orders': 'accepted',
      'records-request': 'accepted',
      'three-appointments': 'accepted',
      'washing-machine-receipt': 'accepted',
      'mail-from-a-stranger': 'quarantined',
    });
  });

  it.each([
    ['appointment-letter', 1],
    ['calendar-invitation', 1],
    ['three-appointments', 3],
    ['referral-with-orders', 0],
    ['records-request', 0],
    ['washing-machine-receipt', 0],
  ])('%s has %i certain appointments, on whichever day it is read', async (name, count) => {
    for (const day of ['2026-12-22', '2027-02-10', '2027-03-25', '2027-10-20', '2028-02-28']) {
      const facts = await factsOf(name, new ManualClock(`${day}T08:00:00Z`));
      const starts = facts.filter(({ kind }) => kind === 'appointment_start');
      expect(starts.filter(({ trust }) => trust === 'CONTROLLED').length, day).toBe(count);
      expect(starts.length, day).toBe(count);
    }
  });

  it("an attacker's address is a fact like any other, and never more than untrusted", async () => {
    const facts = await factsOf('referral-with-orders');
    const addresses = facts.filter(({ value }) => value === attackerAddress);
    expect(addresses.map(({ kind, trust }) => [kind, trust])).toEqual([['email_address', 'UNTRUSTED']]);
  });
});
