import { readFileSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { troubleFindings } from '../../lib/cli/doctor/troubles.ts';
import { VirtualClock } from '../../lib/local/asl/timer.ts';
import { type DataDirectory, openDataDirectory, writeConnection } from '../../lib/local/datadirectory.ts';
import { lockDataDirectory } from '../../lib/local/datalock.ts';
import { ServiceFault } from '../../lib/local/endpoints/fault.ts';
import { Outbox } from '../../lib/local/endpoints/outbox.ts';
import { Pickup } from '../../lib/local/pickup/pickup.ts';
import { besideOfflineReader } from '../../lib/local/reader/steppingin.ts';
import { Relay } from '../../lib/local/relay/relay.ts';
import { openTransport } from '../../lib/local/relay/transport.ts';
import { RemoteClock } from '../../lib/local/remoteclock.ts';
import { checkSelf, renewCertificate } from '../../lib/local/selfcheck.ts';
import { type TroubleId, Troubles, troubleTexts } from '../../lib/local/troubles.ts';
import { loadCircles } from '../../lib/provenance/circles.ts';
import { createPages } from '../../lib/web/app.ts';
import { readTroubles } from '../../lib/web/troubles.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { type ImapManners, ImapServer } from '../support/imapserver.ts';
import { seededRandomness } from '../support/time.ts';
import { provider, reply } from './relay/provider.ts';

const now = '2027-03-01T09:00:00.000Z';
const hour = 3_600_000;
const circles = loadCircles('rules/circle.example.yaml');
let clock: VirtualClock;
let data: DataDirectory;
let troubles: Troubles;
beforeEach(async () => {
  clock = new VirtualClock(now);
  data = openDataDirectory(await temporaryDirectory());
  troubles = new Troubles({ file: data.troubles, clock });
  // As if the office ran in this process, so that doctor asks what it found.
  const url = 'http://127.0.0.1:4280';
  writeConnection(data.root, {
    ...{ pid: process.pid, web: url, smtp: 4225, region: 'x', machine: 'x', circle: 'x', signingKey: 'x' },
    ...{ credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, endpoints: {} },
  });
});

/** What a mailbox that misbehaves comes to, met by a real pick-up; a mail lies there that must not be lost. */
async function mailbox(refused: Parameters<ImapManners['refusals']['set']>[0], answer: string) {
  const server = await ImapServer.start();
  server.deliver('Subject: kept\r\n\r\nHello.\r\n');
  server.manners.refusals.set(refused, answer);
  const pickup = await Pickup.start({
    settings: {
      ...{ host: '127.0.0.1', port: server.port, secure: false, local: true },
      ...{ user: 'care', password: 'secret', folder: 'INBOX', mark: '$Caregate', since: 'all' },
    },
    ...{ directory: data.pickup, limit: 1000, clock, randomness: seededRandomness(1), troubles },
    take: async () => {},
    log: () => {},
  });
  await pickup.looked;
  await expect.poll(() => troubles.list().length).toBe(1);
  expect([...server.mails.keys()]).toEqual([1]);
  await pickup.close();
  await server.close();
}

async function answeringRelay(responseCode: number, before: () => Promise<void> = async () => {}) {
  const { port } = await provider({ onRcptTo: (_to, _session, done) => done(reply(responseCode)) });
  const box = await Outbox.open(data.outbox);
  const envelope = { id: 'mail-1', at: now, source: 'care@home.example', destinations: ['a@clinic.example'] };
  await box.keep(
    { ...envelope, tags: { 'caregate-attempt': 'a' } },
    Buffer.from('Subject: x\r\n\r\nHello.\r\n'),
  );
  await before();
  const transport = openTransport(`smtp://127.0.0.1:${port}`);
  const relay = new Relay({ outbox: data.outbox, transport, clock, troubles, log: () => {} });
  await relay.work();
  await relay.close();
}

async function absentModel(status: number, fault: string) {
  const ask = async () => {
    throw new ServiceFault(status, fault, 'not there');
  };
  const own = { id: 'qwen', where: 'home', ask, look: async () => undefined };
  await besideOfflineReader(own, troubles)({ modelId: 'qwen', messages: [] }, 'qwen').catch(() => {});
}

const selfCheck = (refusedAnother = () => false) =>
  checkSelf({ root: data.root, lock: { refusedAnother }, troubles, clock });

const cases: readonly [string, TroubleId, () => Promise<void> | void][] = [
  ['a wrong password', 'mailbox-password-wrong', () => mailbox('LOGIN', 'NO [AUTHENTICATIONFAILED] no')],
  ['an expired sign-in', 'mailbox-sign-in-expired', () => mailbox('LOGIN', 'NO [EXPIRED] sign in again')],
  ['a full mailbox', 'mailbox-full', () => mailbox('STORE', 'NO [OVERQUOTA] full')],
  ['a mailbox that may only be read', 'mailbox-not-writable', () => mailbox('STORE', 'NO [NOPERM] no')],
  ['a folder that vanished', 'mailbox-folder-missing', () => mailbox('SELECT', 'NO [NONEXISTENT] gone')],
  ['a relay that rejects', 'relay-rejects', () => answeringRelay(550)],
  ['a relay that puts a mail off', 'relay-delays', () => answeringRelay(450)],
  [
    'a damaged outbox',
    'outbox-damaged',
    () => answeringRelay(550, () => writeFile(join(data.outbox, '000001-mail-1.json'), '')),
  ],
  [
    'a clock an hour off',
    'clock-off',
    () => new RemoteClock({ clock, troubles }).heard(new Date(Date.parse(now) - hour).toUTCString()),
  ],
  [
    'a second office on the same data directory',
    'second-office',
    () => {
      const lock = lockDataDirectory(data.root);
      onTestFinished(() => lock.release());
      expect(() => lockDataDirectory(data.root)).toThrow(/another office \(process \d+, pages http/);
      selfCheck(() => lock.refusedAnother());
    },
  ],
  [
    'a disk that is full',
    'disk-full',
    () => {
      symlinkSync('/dev/full', join(data.root, 'probe'));
      selfCheck();
    },
  ],
  [
    'a certificate that is gone',
    'inbox-certificate',
    () => renewCertificate({ renew: () => void readFileSync(join(data.root, 'certificate.pem')) }, troubles),
  ],
  ['a model that is away', 'model-unreachable', () => absentModel(503, 'ServiceUnavailableException')],
  ['a model that is slow', 'model-slow', () => absentModel(408, 'ModelTimeoutException')],
  ['a model that is refused', 'model-refuses', () => absentModel(403, 'AccessDeniedException')],
];

/** The home page as a browser on this machine gets it. */
async function homePage(): Promise<string> {
  const pages = createPages({
    register: { listOpen: async () => [], view: async () => undefined },
    index: { list: async () => [] },
    store: {} as never,
    publicKey: () => Promise.reject(new Error('no link is opened here')),
    troubles: () => readTroubles(data.troubles),
    ...{ circles, clock, listing: true },
  } as never);
  return (await pages.request('/', { headers: { host: '127.0.0.1' } })).text();
}

describe('what goes wrong at home is named by doctor and on the page', () => {
  it.each(cases)('%s', async (_, id, happens) => {
    await happens();
    expect(troubles.list().map((trouble) => trouble.id)).toEqual([id]);
    const { says, remedy } = troubleTexts[id];
    const [found, ...others] = troubleFindings(data.root);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ check: id, health: 'wrong' });
    for (const words of [says, remedy]) expect(found?.says).toContain(words);
    const page = (await homePage()).replaceAll(/<\/?code>/g, '`');
    for (const words of [says, remedy]) expect(page).toContain(words.slice(1));
  });

  it('and no longer once it is over', async () => {
    new RemoteClock({ clock, troubles }).heard(new Date(Date.parse(now) - hour).toUTCString());
    new RemoteClock({ clock, troubles }).heard(new Date(Date.parse(now)).toUTCString());
    expect(troubleFindings(data.root)).toEqual([]);
    expect(await homePage()).not.toContain('role="alert"');
  });
});
