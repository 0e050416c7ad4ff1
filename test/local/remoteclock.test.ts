import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { clockFindings } from '../../lib/cli/doctor/model.ts';
import { bedrockBridge } from '../../lib/local/reader/bridge-bedrock.ts';
import { ownModel } from '../../lib/local/reader/ownmodel.ts';
import { RemoteClock } from '../../lib/local/remoteclock.ts';
import { ManualClock } from '../support/time.ts';

const minute = 60_000;
const now = '2027-03-01T09:00:00.000Z';
let clock: ManualClock;
let told: string[];
let remote: RemoteClock;
beforeEach(() => {
  clock = new ManualClock(now);
  told = [];
  const report = (id: string, detail?: string) => told.push(`${id} ${detail}`);
  const clear = (id: string) => told.push(`over ${id}`);
  remote = new RemoteClock({ clock, troubles: { report, clear } });
});

const inMinutes = (minutes: number): number => Date.parse(now) + minutes * minute;
const httpDate = (minutes: number): string => new Date(inMinutes(minutes)).toUTCString();

describe('the clock of this machine', () => {
  it.each([
    [61, 'clock-off 61-minutes-behind'],
    [-60, 'clock-off 60-minutes-ahead'],
    [6, 'clock-off 6-minutes-behind'],
    [5, 'over clock-off'],
    [-4, 'over clock-off'],
  ])('beside a server whose clock says %i minutes more', (minutes, says) => {
    remote.heard(httpDate(minutes));
    expect(told).toEqual([says]);
  });

  it.each([undefined, null, '', 'yesterday'])('beside a server that says %j is not judged', (date) => {
    remote.heard(date);
    expect(told).toEqual([]);
    expect(clockFindings(date ?? undefined, clock)).toEqual([]);
  });

  it.each([
    [60, ['clock-off 60-minutes-behind']],
    [0, ['over clock-off']],
    // It may have been moved into the folder long after.
    [-60, []],
  ])('beside a mail that was received %i minutes from now', (minutes, says) => {
    remote.received(inMinutes(minutes), true);
    expect(told).toEqual(says);
  });

  it.each([
    ['late by the same', [-61, -60, -62], ['clock-off 62-minutes-ahead']],
    ['as old as they happen to be', [-61, -300, -62], []],
    ['late by the same, but for one that is not', [-61, -60, 0, -62], ['over clock-off']],
    [
      'late by the same, and then no longer',
      [-61, -60, -62, 0],
      ['clock-off 62-minutes-ahead', 'over clock-off'],
    ],
  ])('is ahead where mails arrive that are all late by the same: %s', (_what, minutes, says) => {
    for (const each of minutes) remote.received(inMinutes(each), true);
    expect(told).toEqual(says);
  });

  it('is not judged by mails that may have lain there for long', () => {
    for (const each of [-61, -61, -61]) remote.received(inMinutes(each), false);
    expect(told).toEqual([]);
  });

  it('is named by doctor with the difference, where there is one', () => {
    expect(clockFindings(httpDate(0), clock)).toEqual([]);
    expect(clockFindings(httpDate(-90), clock)).toMatchObject([
      { check: 'clock', health: 'wrong', says: /\(90-minutes-ahead\)/ },
    ]);
  });
});

describe('what a server of a model says that the time is', () => {
  async function server(status: number) {
    const date = httpDate(7);
    const answering = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(status, { date, 'content-type': 'application/json' });
      response.end('{}');
    });
    await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void answering.close());
    return { url: `http://127.0.0.1:${(answering.address() as AddressInfo).port}`, date };
  }
  const request = { modelId: 'x', messages: [{ role: 'user' as const, content: [{ text: 'x' }] }] };

  it('is heard from an answer and from a refusal', async () => {
    for (const status of [200, 403]) {
      const { url, date } = await server(status);
      const heard: string[] = [];
      const own = ownModel({ CAREGATE_MODEL_URL: url });
      own?.onDate?.((each) => heard.push(each));
      await own?.ask(request, 'x').catch(() => {});
      const onDate = (each: string) => heard.push(each);
      const keys = { token: 't' };
      const bridge = bedrockBridge({ model: 'x', region: 'eu-west-1', keys, endpoint: url, onDate });
      await bridge(request, 'x').catch(() => {});
      expect(heard).toEqual([date, date]);
    }
  });
});
