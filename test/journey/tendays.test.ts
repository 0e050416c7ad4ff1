import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { subscribe } from '../../lib/casefile/subscriptions.ts';
import { audit } from '../../lib/cli/audit.ts';
import { openTransport } from '../../lib/local/relay/transport.ts';
import { type Circle, parseCircle } from '../../lib/provenance/circle.ts';
import { dayIn } from '../../lib/provenance/clock.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { type CaseAccount, casesIn, expectedNotices, readEverything } from '../support/family/accounts.ts';
import { VirtualDays } from '../support/family/days.ts';
import { digestOf, type FamilyMail, familyMails } from '../support/family/mails.ts';
import { People, type Received, receive } from '../support/family/people.ts';
import { freshData } from '../support/office.ts';

const full = process.env.CAREGATE_FULL === '1';
const seed = Number(process.env.CAREGATE_SEED ?? 7);
/** Without the full run: a day, in which people have less time to decide. */
const [days, count, approvalHours] = full ? [10, 300, 72] : [1, 8, 12];
/** How often the office looks after what waits, in hours. */
const hours = full ? 1 : 3;
/** The last Sunday of October, on which the clocks of London go back, lies within. */
const start = Date.parse('2027-10-27T00:00:00+01:00');
/** Less than the burst, so that some of it waits for the next day. */
const mailsPerDay = full ? 45 : 200;

interface Run {
  readonly mails: readonly FamilyMail[];
  readonly cases: readonly CaseAccount[];
  readonly objects: ReadonlyMap<string, Uint8Array>;
  readonly received: readonly Received[];
  readonly feeds: readonly string[];
  readonly audited: { readonly failed: boolean; readonly last: string };
  readonly data: string;
  readonly owners: readonly string[];
  readonly people: ReadonlyMap<string, string>;
}
let run: Run;

beforeAll(async () => {
  run = await liveThrough();
}, 1_500_000);
afterAll(() => run !== undefined && process.stderr.write(`${figures(run)}\n`));

async function liveThrough(): Promise<Run> {
  const data = freshData();
  const circleFile = `${data}-circle.yaml`;
  const text = readFileSync('rules/circle.example.yaml', 'utf8');
  writeFileSync(
    circleFile,
    `${text}\nlimits: { mailsPerDay: ${mailsPerDay}, approvalHours: ${approvalHours} }\n`,
  );
  const circle = parseCircle(readFileSync(circleFile, 'utf8'), circleFile);
  const mails = await familyMails({ circle, start, days, count, seed });
  const received: Received[] = [];
  const provider = await openProvider(async (raw) => {
    const notice = await receive(raw, virtual.clock.now());
    received.push(notice);
    people.see(notice);
  });
  const virtual = new VirtualDays({
    data,
    circleFile,
    start,
    transport: () => openTransport(`smtp://127.0.0.1:${provider.port}`),
  });
  const people = new People(
    seed,
    (link) => `${virtual.office.web.replace(/\/+$/, '')}/a/${link.split('/a/')[1] ?? ''}`,
  );
  await pass({ virtual, people, provider, mails, inbox: circle.inbox });
  const feeds = await feedsOf(virtual, circle);
  const audited = await auditOf(data);
  const objects = await readEverything(virtual.office.connection.store, circle.id);
  await virtual.end();
  await provider.close();
  return {
    mails,
    objects,
    received,
    feeds,
    audited,
    data,
    cases: casesIn(objects, circle.id),
    owners: circle.people.filter(({ roles }) => roles.includes('owner')).map(({ id }) => id),
    people: new Map(circle.people.map(({ id, email }) => [email, id])),
  };
}

interface Days {
  readonly virtual: VirtualDays;
  readonly people: People;
  readonly provider: Provider;
  readonly mails: readonly FamilyMail[];
  readonly inbox: string;
}

/** The office is closed from 21 or 23 o'clock to 6; in a long run the provider is away for half of the fifth day. */
async function pass({ virtual, people, provider, mails, inbox }: Days): Promise<void> {
  let waiting = [...mails];
  // Some days more in which nothing comes, so that whatever waits for a person has had its time.
  for (let passed = 0; passed < (days + (full ? 8 : 2)) * 24; passed += hours) {
    const ofDay = passed % 24;
    if (ofDay >= 21 && ofDay + hours > 22 && virtual.isOpen) await virtual.close();
    if ((ofDay === 6 || passed === 0) && !virtual.isOpen) await virtual.open();
    provider.down = full && passed >= 4 * 24 + 8 && passed < 4 * 24 + 20;
    await virtual.pass(hours);
    if (!virtual.isOpen) continue;
    const now = virtual.clock.now();
    const due = waiting.filter(({ at }) => at <= now);
    waiting = waiting.filter(({ at }) => at > now);
    await virtual.deliver(due, inbox);
    // Once in a burst the office ends while it works, and another goes on with what it left.
    if (due.length > 20) {
      await virtual.close();
      await virtual.open();
    }
    await virtual.settle();
    await people.act(now);
    await virtual.settle();
  }
  if (!virtual.isOpen) await virtual.open();
}

/** The feed that each person subscribed to. */
function feedsOf(virtual: VirtualDays, circle: Circle): Promise<string[]> {
  const { store } = virtual.office.connection;
  return Promise.all(
    circle.people.map(async ({ id }) => {
      const parts = { store, circle, clock: virtual.clock, randomness: systemRandomness };
      const { secret } = await subscribe(parts, id);
      const answer = await fetch(new URL(`/calendar/${secret}.ics`, virtual.office.web));
      expect(answer.status).toBe(200);
      return answer.text();
    }),
  );
}

/** `caregate audit --all` beside the office that runs, in this process. */
async function auditOf(data: string): Promise<Run['audited']> {
  const lines: string[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    const code = await audit(undefined, { all: true, data });
    return { failed: code !== undefined, last: lines.join('').trim().split('\n').at(-1) ?? '' };
  } finally {
    stdout.mockRestore();
  }
}

interface Provider {
  readonly port: number;
  down: boolean;
  close(): Promise<void>;
}

/** The household's mail provider, which is away for half a day and asks to be tried again now and then. */
async function openProvider(take: (raw: string) => Promise<void>): Promise<Provider> {
  let handed = 0;
  const state = { down: false };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onMailFrom: (_address, _session, done) => {
      handed += 1;
      const busy = state.down || handed % 17 === 0;
      done(busy ? Object.assign(new TypeError('later'), { responseCode: 451 }) : null);
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => void take(Buffer.concat(chunks).toString()).then(() => done(), done));
    },
  });
  const port = await new Promise<number>((resolve) => {
    const socket = server.listen(0, '127.0.0.1', () => {
      const address = socket.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return Object.assign(state, {
    port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

describe(`${days} days of a family’s ${count} mails (seed ${seed})`, () => {
  it('end with every mail in exactly one case, as what it is', () => {
    const byMail = Map.groupBy(run.cases, ({ mail }) => mail);
    const wrong: string[] = [];
    for (const { kind, raw, expected, again } of run.mails) {
      if (again) continue;
      const found = byMail.get(digestOf(raw)) ?? [];
      const first = found.filter(({ released }) => !released);
      const status = first[0]?.closings.at(-1)?.status ?? 'none';
      const right = expected === 'case' ? 'closed' : expected;
      if (first.length !== 1 || found.length > 2 || status !== right) {
        wrong.push(
          `${kind}: ${found.map(({ id, closings }) => `${id} ${closings.map((each) => each.status).join(' ')}`).join('; ') || 'missing'}`,
        );
      }
      byMail.delete(digestOf(raw));
    }
    expect(wrong).toEqual([]);
    expect([...byMail.keys()]).toEqual([]);
  });

  it('leave nothing open: what nobody decided expired', () => {
    for (const { id, closings } of run.cases) expect([id, closings.length > 0]).toEqual([id, true]);
    for (const { outcomes } of run.cases)
      for (const { status } of outcomes) expect(status).not.toBe('awaiting');
  });

  it('have every notice in the provider’s hands once, and none beside', () => {
    const sent = new Map<string, number>();
    for (const notice of run.received) {
      const person = run.people.get(notice.to) ?? notice.to;
      const about = ['approval_request', 'question', 'reminder'].includes(notice.kind)
        ? ` ${notice.approval}`
        : '';
      const key = `${notice.kind} ${person}${about}`;
      sent.set(key, (sent.get(key) ?? 0) + 1);
    }
    const expected = expectedNotices(run.cases, run.owners);
    const wrong: string[] = [];
    for (const key of new Set([...sent.keys(), ...expected.keys()])) {
      if (/^(?:letter|quarantine_summary|deferred) /.test(key)) continue;
      const [least, most] = expected.get(key) ?? [0, 0];
      const times = sent.get(key) ?? 0;
      if (times < least || times > most) wrong.push(`${key}: ${times}, should be ${least} to ${most}`);
    }
    expect(wrong).toEqual([]);
    expect(new Set(run.received.map(({ messageId }) => messageId)).size).toBe(run.received.length);
  });

  it('have one summary of the quarantine a day, that names each mail once', () => {
    const named = [...run.objects]
      .filter(([key]) => key.includes('/summaries/'))
      .map(([, bytes]) => JSON.parse(Buffer.from(bytes).toString()) as { day: string; cases: string[] });
    const quarantined = run.cases
      .filter(({ closings }) => closings.at(-1)?.status === 'quarantined')
      .map(({ id }) => id);
    expect(named.flatMap(({ cases }) => cases).sort()).toEqual(quarantined.sort());
    const sent = run.received.filter(({ kind }) => kind === 'quarantine_summary');
    expect(sent).toHaveLength(named.length * run.owners.length);
  });

  it('have one notice a day of mails that had to wait', () => {
    const waited = run.cases.flatMap(({ closings }) =>
      closings.filter(({ status }) => status === 'deferred'),
    );
    const onDays = new Set(waited.map(({ at }) => dayIn('Europe/London', Date.parse(at))));
    if (full) expect(waited.length).toBeGreaterThan(0);
    const sent = run.received.filter(({ kind }) => kind === 'deferred');
    expect(sent.length).toBeGreaterThanOrEqual(onDays.size);
    expect(sent.length).toBeLessThanOrEqual(onDays.size * run.people.size);
  });

  it('have every letter that was sent in the provider’s hands once', () => {
    const letters = run.cases.flatMap(({ outcomes }) => outcomes.filter(({ status }) => status === 'sent'));
    expect(run.received.filter(({ kind }) => kind === 'letter')).toHaveLength(letters.length);
    if (full) expect(letters.length).toBeGreaterThan(0);
  });

  it('have calendars that a calendar program reads, with each appointment that stands once', () => {
    const certain = run.mails.filter(({ again, appointment }) => !again && appointment !== undefined);
    // An invitation says which appointment it is, so that a second one to the same is none; a letter does not.
    const keys = certain.map(({ kind, appointment, raw }) =>
      kind === 'calendar-invitation' ? `${kind} ${appointment}` : digestOf(raw),
    );
    const starts = new Map(certain.map(({ appointment }, index) => [keys[index], appointment]));
    for (const feed of run.feeds) {
      const calendar = new ICAL.Component(ICAL.parse(feed));
      const events = calendar.getAllSubcomponents('vevent');
      const uids = events.map((event) => event.getFirstPropertyValue('uid'));
      expect(new Set(uids).size).toBe(uids.length);
      expect(uids.length).toBe(appointmentsIn(run.objects));
      const shown = events.map((event) => new ICAL.Event(event).startDate.toUnixTime() * 1000);
      for (const [start, same] of Map.groupBy(starts.values(), (each) => each ?? 0))
        expect([start, shown.filter((each) => each === start).length >= same.length]).toEqual([start, true]);
      for (const event of events) {
        expect(event.getAllSubcomponents()).toEqual([]);
        for (const name of ['attendee', 'url', 'organizer', 'attach'])
          expect(event.getAllProperties(name)).toEqual([]);
        for (const name of ['uid', 'dtstamp', 'dtstart', 'summary'])
          expect(event.getAllProperties(name)).toHaveLength(1);
      }
    }
  });

  it('pass the audit, all of them', () => {
    expect(run.audited).toEqual({ failed: false, last: expect.stringContaining('all consistent') });
  });
});

/** How many appointments the verified actions made, by what each call says that it is about. */
function appointmentsIn(objects: Run['objects']): number {
  const json = (key: string) => JSON.parse(Buffer.from(objects.get(key) ?? '{}').toString());
  const made = [...objects.keys()]
    .filter((key) => /\/actions\/\d+\/outcome\.json$/.test(key) && json(key).status === 'verified')
    .map((key) => key.slice(0, -'outcome.json'.length))
    .filter((folder) => json(`${folder}proposal.json`).tool === 'add_appointment')
    .map((folder) => json(`${folder}call.json`).arguments.uid?.value ?? folder);
  return new Set(made).size;
}

/** The run in figures, for whoever compares it with another. */
function figures({ mails, cases, received, data }: Run): string {
  const tally = (words: readonly string[]): string =>
    [...Map.groupBy(words, (word) => word)]
      .map(([word, all]) => `${word} ${all.length}`)
      .sort()
      .join(', ');
  const size = spawnSync('du', ['-sk', data], { encoding: 'utf8' }).stdout.split('\t')[0];
  return [
    `mails: ${tally(mails.map(({ kind, again }) => (again ? 'again' : kind)))}`,
    `cases: ${tally(cases.map(({ closings }) => closings.map(({ status }) => status).join(' then ')))}`,
    `actions: ${tally(cases.flatMap(({ outcomes }) => outcomes.map(({ tool, status }) => `${tool} ${status}`)))}`,
    `notices: ${tally(received.map(({ kind }) => kind))}`,
    `data: ${size} KB, journal ${Math.round(statSync(join(data, 'journal.sqlite')).size / 1024)} KB; memory ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
  ].join('\n');
}
