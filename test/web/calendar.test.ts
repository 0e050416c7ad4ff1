import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { subscribe, subscriptionsOf, unsubscribe } from '../../lib/casefile/subscriptions.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { bothPages, pageDeps } from '../support/pages.ts';

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());

/** An appointment as an effect leaves it. */
async function keep(uid: string, sequence: number, summary: string, calendar = 'family'): Promise<void> {
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Caregate//Caregate//EN', 'BEGIN:VEVENT'],
    ...[
      `UID:${uid}@caregate`,
      `SEQUENCE:${sequence}`,
      'DTSTAMP:20270301T090000Z',
      'DTSTART:20270304T103000Z',
    ],
    ...[`SUMMARY:${summary}`, 'END:VEVENT', 'END:VCALENDAR', ''],
  ];
  const key = `${layout.calendar(office.circle.id, calendar)}${uid}-${String(sequence).padStart(4, '0')}.ics`;
  await office.store.create(key, new TextEncoder().encode(lines.join('\r\n')));
}

const get = (secret: string, given = {}) =>
  bothPages(pageDeps(office, given)).request(`/calendar/${secret}.ics`);

async function eventsOf(secret: string): Promise<Record<string, string>> {
  const answer = await get(secret);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const feed = new ICAL.Component(ICAL.parse(await answer.text()));
  const events = feed.getAllSubcomponents('vevent');
  return Object.fromEntries(
    events.map((event) => [event.getFirstPropertyValue('uid'), event.getFirstPropertyValue('summary')]),
  );
}

describe('the calendar feed', () => {
  it('is one calendar with every appointment once, as its newest version has it', async () => {
    const { secret } = await subscribe(office, 'maya');
    expect(await eventsOf(secret)).toEqual({});
    await keep('heart', 0, 'Cardiology');
    await keep('heart', 1, 'Cardiology\\, room 4');
    await keep('eyes', 0, 'Eye clinic', 'second');
    await office.store.create(
      `${layout.calendar(office.circle.id, 'family')}broken-0000.ics`,
      Buffer.from('x'),
    );
    expect(await eventsOf(secret)).toEqual({
      'heart@caregate': 'Cardiology, room 4',
      'eyes@caregate': 'Eye clinic',
    });
  });

  it('asks calendar programs to look again every hour, and is named after the person cared for', async () => {
    const { secret } = await subscribe(office, 'maya');
    const text = await (await get(secret)).text();
    expect(text).toContain('REFRESH-INTERVAL;VALUE=DURATION:PT1H');
    expect(text).toContain('X-WR-CALNAME:Care calendar: Rosa Winterbourne');
  });

  it('answers to its own secret alone, which is kept nowhere', async () => {
    const { secret } = await subscribe(office, 'tom');
    for (const other of ['', 'x', 'A'.repeat(22), secret.slice(1), `${secret}A`, '../cases', '%2e%2e'])
      expect((await get(other)).status, other).toBe(404);
    for (const key of await office.store.list('')) {
      const { bytes } = await office.store.read(key);
      expect(key.includes(secret) || Buffer.from(bytes).includes(secret)).toBe(false);
    }
  });

  it('ends for a person who was taken out of the circle, and for another circle never began', async () => {
    const { secret } = await subscribe(office, 'tom');
    const circle = { ...office.circle, people: office.circle.people.filter(({ id }) => id !== 'tom') };
    expect((await get(secret, { circles: [circle] })).status).toBe(404);
    expect((await get(secret, { circles: [{ ...office.circle, id: 'another' }] })).status).toBe(404);
    expect((await get(secret)).status).toBe(200);
  });
});

describe('a subscription', () => {
  it('is taken back by the beginning of its id, for good, and listed as such', async () => {
    const { secret, id } = await subscribe(office, 'maya');
    expect(await unsubscribe(office, id.slice(0, 12))).toMatchObject({ id, person: 'maya' });
    expect((await get(secret)).status).toBe(404);
    office.clock.advance(1000);
    const again = await unsubscribe(office, id);
    const listed = (await subscriptionsOf(office.store, office.circle)).find((each) => each.id === id);
    expect(listed?.revokedAt).toBe(again.revokedAt);
  });

  it('is for people of the circle', async () => {
    await expect(subscribe(office, 'hillside-records')).toFailWithCode('NOT_FOUND');
    await expect(subscribe(office, 'mallory')).toFailWithCode('NOT_FOUND');
  });

  it('that is named by nothing, or by the beginning of several, is not taken back', async () => {
    for (const given of ['', 'zz']) await expect(unsubscribe(office, given)).toFailWithCode('NOT_FOUND');
    const ids = (await subscriptionsOf(office.store, office.circle)).map(({ id }) => id);
    while (new Set(ids.map((id) => id[0])).size === ids.length)
      ids.push((await subscribe(office, 'maya')).id);
    const shared = ids.find((id) => ids.some((other) => other !== id && other[0] === id[0])) ?? '';
    await expect(unsubscribe(office, shared.slice(0, 1))).toFailWithCode('INVALID_INPUT');
  });
});
