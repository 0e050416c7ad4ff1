import { Temporal } from '@js-temporal/polyfill';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { loadCircle } from '../../lib/provenance/circle.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { today } from '../../samples/days.ts';
import { samples, writers } from '../../samples/index.ts';
import { attackerAddress } from '../../samples/referral.ts';
import { ManualClock } from '../support/time.ts';
import { announcedDates, readable, writtenDates } from './reading.ts';

const circle = loadCircle('rules/circle.example.yaml');
const morning = new ManualClock('2027-02-10T08:00:00Z');
const evening = new ManualClock('2027-02-10T21:30:00Z');
const nextDay = new ManualClock('2027-02-11T08:00:00Z');
const ofToday = await samples(morning, circle);

async function textOf(name: string): Promise<string> {
  const sample = ofToday.find((each) => each.name === name);
  if (sample === undefined) throw new Error(`there is no sample ${name}`);
  return readable(sample.raw);
}

describe('samples', () => {
  it('are seven, each with a name of its own and a line that says what it shows', () => {
    expect(ofToday).toHaveLength(7);
    expect(new Set(ofToday.map((sample) => sample.name)).size).toBe(7);
    for (const { name, says } of ofToday) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(says.length).toBeGreaterThan(20);
    }
  });

  it('are mails to the inbox of the circle, from the envelope sender that they name', async () => {
    for (const { raw, from } of ofToday) {
      const mail = await simpleParser(Buffer.from(raw));
      expect(mail.to).toMatchObject({ value: [{ address: circle.inbox }] });
      expect(mail.from?.value[0]?.address).toBe(from);
      expect(mail.messageId).toMatch(/^<[0-9a-f]{24}@[a-z.-]+\.example>$/);
      expect(mail.text?.trim()).not.toBe('');
    }
  });

  it('have the same bytes all day, and other bytes the next day', async () => {
    const digests = async (clock: ManualClock) =>
      (await samples(clock, circle)).map((sample) => sha256(sample.raw));
    const first = await digests(morning);
    expect(await digests(evening)).toEqual(first);
    const later = await digests(nextDay);
    expect(later.filter((digest) => first.includes(digest))).toEqual([]);
  });

  it('are for whichever people the circle lists', async () => {
    const [only] = circle.people;
    if (only === undefined) throw new Error('the example circle has no people');
    const alone = await samples(morning, { ...circle, people: [{ ...only, email: 'ada@home.example' }] });
    const senders = alone.map((sample) => sample.from);
    expect(senders.filter((address) => address === 'ada@home.example')).toHaveLength(5);
    expect(senders).not.toContain('tom@family.example');
  });

  it('come from people, from a contact and from a stranger', () => {
    const known = new Map([
      ...circle.people.map(({ email }) => [email, 'person'] as const),
      ...circle.contacts.map(({ email }) => [email, 'contact'] as const),
    ]);
    const counts = Map.groupBy(ofToday, ({ from }) => known.get(from) ?? 'stranger');
    expect([...counts].map(([who, mails]) => [who, mails.length]).sort()).toEqual([
      ['contact', 1],
      ['person', 5],
      ['stranger', 1],
    ]);
  });
});

describe('what each sample shows', () => {
  it('one date in the appointment letter, with its place and what to bring', async () => {
    const text = await textOf('appointment-letter');
    expect(text).toMatch(/When\s+Friday 5 March 2027 at 10:30am/);
    expect(text).toContain('Echocardiography, Level 2, Northgate Hospital');
    expect(text).toContain('Please bring this letter');
    expect(announcedDates(text)).toHaveLength(1);
  });

  it('an invitation whose time zone is written out', async () => {
    const text = await textOf('calendar-invitation');
    for (const line of ['METHOD:REQUEST', 'BEGIN:VTIMEZONE', 'DTSTART;TZID=Europe/London:20270222T140000']) {
      expect(text).toContain(line);
    }
  });

  it("an order to send records to an address outside the circle, in the referral's own PDF", async () => {
    const text = (await textOf('referral-with-orders')).replaceAll('\n', ' ');
    expect(text).toContain(`to ${attackerAddress} before`);
    expect(circle.contacts.map(({ email }) => email)).not.toContain(attackerAddress);
  });

  it('a request that a contact of the circle makes, with the document that it asks for', async () => {
    const text = await textOf('records-request');
    expect(text).toContain('records@hillside-clinic.example');
    expect(circle.contacts.map(({ email }) => email)).toContain('records@hillside-clinic.example');
    expect(text).toContain('Consent to the release of a vaccination record');
  });

  it('three dates in one letter, on three days', async () => {
    const days = announcedDates(await textOf('three-appointments')).map(({ day }) => day.toString());
    expect(new Set(days).size).toBe(3);
  });

  it('a receipt whose amounts add up', async () => {
    const text = await textOf('washing-machine-receipt');
    const [price = 0, delivery = 0, removal = 0, total] = [...text.matchAll(/£(\d+\.\d\d)/g)].map(([, sum]) =>
      Number(sum),
    );
    expect(price + delivery + removal).toBe(total);
    expect(announcedDates(text)).toEqual([]);
  });
});

describe('dates', () => {
  const firstDay = Date.parse('2026-06-01T00:30:00Z');
  const hours = fc.integer({ min: 0, max: 24 * 4000 });
  // One sample a day: all seven on each day would take a minute and reach the same functions.
  const writer = fc.constantFrom(...writers);

  it('with a weekday agree with it and lie on a working day ahead; the others lie behind', async () => {
    await fc.assert(
      fc.asyncProperty(hours, writer, async (hour, write) => {
        const day = today({ now: () => firstDay + hour * 3_600_000 }, circle);
        const text = await readable((await write({ circle, today: day })).raw);
        for (const announced of announcedDates(text)) {
          expect(announced.agrees).toBe(true);
          expect(announced.day.dayOfWeek).toBeLessThanOrEqual(5);
          expect(Temporal.PlainDate.compare(announced.day, day)).toBe(1);
        }
        for (const written of writtenDates(text))
          expect(Temporal.PlainDate.compare(written, day)).not.toBe(1);
      }),
      { numRuns: 400 },
    );
  }, 120_000);

  it('of invitations exist in the zone: no clock jumps over them', async () => {
    const invitation = writers[1];
    for (let ahead = 0; ahead < 400; ahead += 1) {
      const day = Temporal.PlainDate.from('2026-12-01').add({ days: ahead });
      const text = await readable((await invitation({ circle, today: day })).raw);
      const [, start = ''] = /DTSTART;TZID=Europe\/London:(\w+)/.exec(text) ?? [];
      const local = Temporal.PlainDateTime.from(start);
      expect(local.toZonedDateTime('Europe/London').toPlainDateTime().equals(local)).toBe(true);
      expect(Temporal.PlainDate.compare(local.toPlainDate(), day)).toBe(1);
    }
  });
});
