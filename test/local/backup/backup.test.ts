import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  CreateTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  PutItemCommand,
  ScanCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import * as tar from 'tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { caseTable } from '../../../lib/casefile/caseindex.ts';
import { backup } from '../../../lib/cli/backup.ts';
import { post } from '../../../lib/cli/posting.ts';
import { packInto } from '../../../lib/local/backup/archive.ts';
import { Barrier } from '../../../lib/local/backup/barrier.ts';
import { manifestOf } from '../../../lib/local/backup/manifest.ts';
import { snapshotAtRest, snapshotOf } from '../../../lib/local/backup/office.ts';
import { leftBeside, restore } from '../../../lib/local/backup/restore.ts';
import { dropSnapshot } from '../../../lib/local/backup/snapshot.ts';
import { openDataDirectory } from '../../../lib/local/datadirectory.ts';
import { lockBackup } from '../../../lib/local/datalock.ts';
import { dynamodbService } from '../../../lib/local/endpoints/dynamodb.ts';
import { Outbox } from '../../../lib/local/endpoints/outbox.ts';
import { startEndpoint } from '../../../lib/local/endpoints/server.ts';
import { names } from '../../../lib/local/names.ts';
import { type MailedLink, mailedLinks } from '../../../lib/local/outboxcodes.ts';
import { relayEnds } from '../../../lib/local/relay/ends.ts';
import { neverSend, releaseHold } from '../../../lib/local/relay/hold.ts';
import { Relay } from '../../../lib/local/relay/relay.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { samples } from '../../../samples/index.ts';
import { embeddedOffice } from '../../support/embedded.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { caregate, freshData, startCaregate } from '../../support/office.ts';
import { ManualClock, seededRandomness } from '../../support/time.ts';

const full = process.env.CAREGATE_FULL === '1';
/** How many backups are taken while the mails are worked on, and how many mails that are. */
const [backups, mails] = full ? [6, 42] : [1, 2];

describe('a backup of an office that works', () => {
  it(`holds one instant of it: restored elsewhere, ${mails} mails go on and pass the audit`, async () => {
    const folder = await temporaryDirectory();
    const data = freshData();
    let calls = 0;
    const office = await embeddedOffice({ data, onCall: () => (calls += 1) });
    const known = await samples(systemClock, office.running.circle);
    const posted: Promise<string>[] = [];
    const files: string[] = [];
    for (let count = 0; count < mails; count += 1) {
      const sample = known[count % known.length] as (typeof known)[number];
      const raw = Buffer.concat([Buffer.from(`X-Count: ${count}\r\n`), sample.raw]);
      posted.push(post(office.office, office.running.circle.inbox, { ...sample, raw }));
      if ((count + 1) % (mails / backups) !== 0) continue;
      const before = calls;
      await expect.poll(() => calls, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before);
      const { folder: taken, at } = await snapshotOf(office.office);
      const file = join(folder, `${count}.tar.gz`);
      await packInto(taken, await manifestOf(taken, { release: '0', at }), file);
      files.push(file);
    }
    await Promise.all(posted);

    await office.running.close();
    for (const file of files) await goesOn(file);
  }, 600_000);

  it.runIf(full)(
    'keeps what waits for a person: she approves it in the restored one, by the code of the mail that she has',
    async () => {
      const office = await embeddedOffice({ data: freshData() });
      const known = await samples(systemClock, office.running.circle);
      const { raw, from } = known.find(({ name }) => /records/i.test(name)) as (typeof known)[number];
      const { case: id } = await office.hand(raw, from);
      const { folder, at } = await snapshotOf(office.office);
      const file = join(await temporaryDirectory(), 'backup.tar.gz');
      await packInto(folder, await manifestOf(folder, { release: '0', at }), file);
      await office.running.close();
      const data = freshData();
      await restore(file, data, systemClock);
      const again = await embeddedOffice({ data });
      const link = (await mailedLinks(again.outbox)).at(-1) as MailedLink;
      const url = new URL(new URL(link.url).pathname, again.running.web).href;
      expect(await again.submit({ ...link, url }, { code: link.code, choice: 'approve' })).toBe(200);
      const { actions } = await again.settled(id);
      expect(actions.map(({ tool, status }) => [tool, status])).toContainEqual(['send_email', 'sent']);
      await again.running.close();
      expect((await caregate(['audit', '--all', '--data', data])).code).toBe(0);
    },
    120_000,
  );
});

/** Restores a backup, lets its cases come to rest, and audits all of them. */
async function goesOn(file: string): Promise<void> {
  const data = freshData();
  await restore(file, data, systemClock);
  const again = await embeddedOffice({ data });
  await again.running.idle();
  const cases = await again.office.index.list(again.running.circle.id);
  const statuses = new Set(cases.map(({ status }) => status));
  await again.running.close();
  for (const bad of ['parked', 'failed']) expect(statuses).not.toContain(bad);
  const audit = await caregate(['audit', '--all', '--data', data]);
  expect([audit.code, audit.stdout], audit.stderr).toEqual([0, expect.stringContaining('all consistent')]);
}

describe('a backup', () => {
  const parts = { clock: systemClock, randomness: seededRandomness(3) };
  let file: string;
  let original: string;
  beforeAll(async () => {
    original = freshData();
    const data = openDataDirectory(original);
    const box = await Outbox.open(data.outbox);
    for (const [id, tag] of [
      ['a-letter', 'caregate-attempt'],
      ['a-letter-that-left', 'caregate-attempt'],
      ['a-notice', 'notice'],
    ] as const) {
      const at = '2027-03-01T09:00:00.000Z';
      const envelope = { id, at, source: 'care@home.example', destinations: ['info@clinic.example'] };
      await box.keep({ ...envelope, tags: { [tag]: 'a' } }, Buffer.from('Subject: one\r\n\r\nHello.\r\n'));
    }
    writeFileSync(join(original, 'circle.yaml'), 'id: ours\n');
    mkdirSync(join(original, 'something', 'of-a-later-release'), { recursive: true });
    writeFileSync(join(original, 'something', 'of-a-later-release', 'file'), 'kept');
    await withTable(data.tables, (client, TableName) =>
      client.send(new PutItemCommand({ TableName, Item: separated })),
    );
    const { folder, at } = await snapshotAtRest(data, parts);
    file = join(freshData(), '..', 'backup.tar.gz');
    await packInto(folder, await manifestOf(folder, { release: '0', at }), file);
    await dropSnapshot(data);
  });

  it('is for its owner alone, and brings back every file, those that are not known included', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const data = freshData();
    await restore(file, data, systemClock);
    for (const path of ['circle.yaml', 'something/of-a-later-release/file', 'version']) {
      expect(readFileSync(join(data, path))).toEqual(readFileSync(join(original, path)));
    }
    const open = ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })].filter((path) => {
      const found = statSync(join(data, path));
      return (found.mode & 0o777) !== (found.isDirectory() ? 0o700 : 0o600);
    });
    expect(open).toEqual([]);
    expect(readdirSync(join(original)).filter((name) => name === 'snapshots')).toEqual([]);
  });

  it('brings back the tables, with whatever a person wrote', async () => {
    const data = freshData();
    await restore(file, data, systemClock);
    const { Items } = await withTable(openDataDirectory(data).tables, (client, TableName) =>
      client.send(new ScanCommand({ TableName })),
    );
    expect(Items).toEqual([separated]);
  });

  it('of a data directory that is not there is refused, and none is made', async () => {
    const [data, target] = [freshData(), await temporaryDirectory()];
    await expect(backup(target, { data, keep: 1 })).toFailWithCode('NOT_FOUND');
    expect([existsSync(data), readdirSync(target)]).toEqual([false, []]);
  });

  it('is made one at a time: a second would take away what the first is packing', async () => {
    const target = await temporaryDirectory();
    const first = lockBackup(original);
    await expect(backup(join(target, 'two.tar.gz'), { data: original })).toFailWithCode(
      'DATA_DIRECTORY_INVALID',
    );
    first.release();
    expect(readdirSync(target)).toEqual([]);
  });

  it('tells of what a restore that was killed left beside the directory', async () => {
    const data = freshData();
    const left = join(data, '..', '.data-restoring-x');
    mkdirSync(left);
    expect(await leftBeside(data)).toEqual([left]);
    await restore(file, data, systemClock);
    expect(existsSync(left)).toBe(true);
  });

  it('stays when older ones go, although the clock was ahead when those were made', async () => {
    const target = await temporaryDirectory();
    const others = ['caregate-2999-01-01T000000Z.tar.gz', 'caregate-2998-01-01T000000Z.tar.gz', 'mine.txt'];
    for (const name of others) writeFileSync(join(target, name), '');
    const { objects } = await caregate(['backup', target, '--keep', '2', '--json', '--data', original]);
    const made = String((objects[0] as { file?: string } | undefined)?.file)
      .split('/')
      .at(-1);
    expect(readdirSync(target).sort()).toEqual([made, others[0], 'mine.txt'].sort());
  });

  it.each([
    ['a folder to keep some in', ['disk/caregate', '--keep', '2']],
    ['a file', ['disk/caregate/one.tar.gz']],
  ])('makes no folder for %s: the disk may not be in its place', async (_what, [target = '', ...more]) => {
    const place = await temporaryDirectory();
    const { code, stderr } = await caregate(['backup', join(place, target), ...more, '--data', original]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not there; make it')]);
    expect([readdirSync(place), stderr]).toEqual([[], expect.not.stringContaining('snapshot')]);
  });

  it('that cannot be written is named, and leaves nothing', async () => {
    const folder = await temporaryDirectory();
    const manifest = await manifestOf(folder, { release: '0', at: '2027-03-01T09:00:00.000Z' });
    const gone = join(folder, 'gone', 'one.tar.gz');
    await expect(packInto(folder, manifest, gone)).toFailWithCode('INVALID_INPUT');
    const full = join(folder, 'full.tar.gz');
    symlinkSync('/dev/full', `${full}.new`);
    await expect(packInto(folder, manifest, full)).rejects.toThrow('there is no room for');
    expect(existsSync(`${full}.new`)).toBe(false);
  });

  const endings = [
    ['SIGINT', 'backup'],
    ['SIGTERM', 'restore'],
    ['SIGTERM', 'backup'],
    ['SIGINT', 'restore'],
  ] as const;
  it.each(endings.slice(0, full ? 4 : 2))(
    'leaves nothing half made where %s ends a %s',
    async (signal, command) => {
      const place = await temporaryDirectory();
      const data = join(place, 'data');
      await restore(file, data, systemClock);
      writeFileSync(join(data, 'large'), randomBytes(60_000_000));
      if (command === 'restore')
        expect((await caregate(['backup', join(place, 'whole'), '--data', data])).code).toBe(0);
      const before = readdirSync(place).sort();
      const [given, into] = command === 'backup' ? ['one', data] : ['whole', join(place, 'again')];
      const half = command === 'backup' ? 'one.new' : '.again-restoring-';
      const child = startCaregate([command, join(place, given), '--data', into]);
      const isBegun = (): boolean => readdirSync(place).some((name) => name.startsWith(half));
      await expect.poll(isBegun, { timeout: 20_000, interval: 2 }).toBe(true);
      child.kill(signal);
      const [, ended] = await once(child, 'close');
      expect([ended, readdirSync(place).sort()]).toEqual([signal, before]);
    },
  );

  it('takes away what a power cut left half made, once nobody is at it any longer', async () => {
    const target = await temporaryDirectory();
    const [old, young] = ['caregate-2020-01-01T000000Z.tar.gz.new', 'caregate-2020-01-02T000000Z.tar.gz.new'];
    for (const name of [old, young, 'mine.new']) writeFileSync(join(target, name), '');
    utimesSync(join(target, old), new Date(0), new Date(0));
    await caregate(['backup', target, '--keep', '2', '--data', original]);
    expect(
      readdirSync(target)
        .filter((name) => name.endsWith('.new'))
        .sort(),
    ).toEqual([young, 'mine.new']);
  });

  it('holds letters back after a restore until a person lets them leave, and no notice', async () => {
    const data = freshData();
    await restore(file, data, systemClock);
    const { outbox } = openDataDirectory(data);
    const sent: string[] = [];
    const transport = {
      send: async ({ raw }: { raw: Uint8Array }) => {
        sent.push(Buffer.from(raw).toString());
        return { outcome: 'taken' } as const;
      },
      check: async () => undefined,
      close: () => {},
    };
    const clock = new ManualClock('2027-03-02T09:00:00.000Z');
    const relay = new Relay({ outbox, transport, clock, log: () => {} });
    await relay.work();
    expect([...(await relayEnds(outbox)).keys()]).toEqual(['a-notice']);
    await neverSend(outbox, 'a-letter-that-left', clock);
    await expect(neverSend(outbox, 'a-letter-that-left', clock)).toFailWithCode('INVALID_INPUT');
    await expect(neverSend(outbox, 'a-notice', clock)).toFailWithCode('NOT_FOUND');
    expect(await releaseHold(outbox)).toBe(true);
    await relay.work();
    const ends = [...(await relayEnds(outbox))].map(([id, { outcome }]) => [id, outcome]);
    expect(Object.fromEntries(ends)).toEqual({
      'a-letter': 'taken',
      'a-letter-that-left': 'unknown',
      'a-notice': 'taken',
    });
    expect(sent).toHaveLength(2);
    await expect(neverSend(outbox, 'a-letter', clock)).toFailWithCode('INVALID_INPUT');
  });

  it('is not restored over anything', async () => {
    const data = freshData();
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'mine'), '');
    await expect(restore(file, data, systemClock)).toFailWithCode('DATA_DIRECTORY_INVALID');
    expect(readdirSync(data)).toEqual(['mine']);
  });

  it('that is not there is not found', async () => {
    await expect(restore(`${file}.absent`, freshData(), systemClock)).toFailWithCode('NOT_FOUND');
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['with a changed byte', (bytes: Buffer) => gzipSync(changed(gunzipSync(bytes), 'Hello.', 'Hallo.'))],
    [
      'of a newer form',
      (bytes: Buffer) => gzipSync(changed(gunzipSync(bytes), '"format": 1', '"format": 2')),
    ],
    ['that is none', () => Buffer.from('a letter')],
    ['that is empty', () => gzipSync(new Uint8Array(1024))],
  ])('%s is refused, and nothing is left of it', async (_what, damage) => {
    const bad = join(await temporaryDirectory(), 'bad.tar.gz');
    writeFileSync(bad, damage(readFileSync(file)));
    const data = freshData();
    await expect(restore(bad, data, systemClock)).toFailWithCode('BACKUP_INVALID');
    expect(existsSync(data)).toBe(false);
    expect(readdirSync(join(data, '..'))).toEqual([]);
  });

  it('that holds a link, or a file outside of it, is refused', async () => {
    const folder = await temporaryDirectory();
    const evil = join(folder, 'evil.tar.gz');
    symlinkSync('/etc/passwd', join(folder, 'link'));
    await tar.create({ cwd: folder, gzip: true, file: evil }, ['link']);
    await expect(restore(evil, freshData(), systemClock)).toFailWithCode('BACKUP_INVALID');
    mkdirSync(join(folder, 'inner'));
    copyFileSync(file, join(folder, 'outside'));
    await tar.create({ cwd: join(folder, 'inner'), gzip: true, file: evil, preservePaths: true }, [
      '../outside',
    ]);
    await expect(restore(evil, freshData(), systemClock)).toFailWithCode('BACKUP_INVALID');
  });

  it('waits for what is under way, and what comes meanwhile waits for it', async () => {
    const seen: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const barrier = new Barrier();
    const store = barrier.guard({
      name: 's3',
      handle: async ({ path }) => {
        if (path === 'first') await gate;
        seen.push(path);
        return { status: 200 };
      },
    });
    const ask = (path: string) =>
      store.handle({
        method: 'GET',
        path,
        query: new URLSearchParams(),
        headers: {},
        body: new Uint8Array(),
      });
    const first = ask('first');
    const held = barrier.hold(async () => void seen.push('held'));
    const second = ask('second');
    open();
    await Promise.all([first, held, second]);
    expect(seen).toEqual(['first', 'held', 'second']);
  });
});

/** A person's words as they may be pasted: U+2028 ends a line for some readers, and none in JSON. */
const separated = { circle: { S: 'ours' }, case: { S: 'c-1' }, reason: { S: 'one\u2028two' } };

async function withTable<T>(
  directory: string,
  work: (client: DynamoDBClient, table: string) => Promise<T>,
): Promise<T> {
  const service = await dynamodbService({ directory });
  const credentials = { accessKeyId: 'ours', secretAccessKey: 'secret' };
  const endpoint = await startEndpoint(service, { credentials, clock: systemClock, log: () => {} });
  const client = new DynamoDBClient({ region: names.region, credentials, endpoint: endpoint.url });
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    if (TableNames.length === 0) await client.send(new CreateTableCommand(caseTable(names.caseTable)));
    // A table that was just made takes nothing yet.
    await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1 }, { TableName: names.caseTable });
    return await work(client, names.caseTable);
  } finally {
    client.destroy();
    await endpoint.close();
    await service.close();
  }
}

/** The same bytes with one text replaced by another of its length. */
function changed(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(from);
  expect(at).toBeGreaterThan(0);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(to), bytes.subarray(at + to.length)]);
}
