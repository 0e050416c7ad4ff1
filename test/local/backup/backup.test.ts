import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as tar from 'tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../../lib/cli/posting.ts';
import { packInto } from '../../../lib/local/backup/archive.ts';
import { Barrier } from '../../../lib/local/backup/barrier.ts';
import { manifestOf } from '../../../lib/local/backup/manifest.ts';
import { snapshotAtRest, snapshotOf } from '../../../lib/local/backup/office.ts';
import { restore } from '../../../lib/local/backup/restore.ts';
import { dropSnapshot } from '../../../lib/local/backup/snapshot.ts';
import { openDataDirectory } from '../../../lib/local/datadirectory.ts';
import { Outbox } from '../../../lib/local/endpoints/outbox.ts';
import { releaseHold } from '../../../lib/local/relay/hold.ts';
import { Relay, relayEnds } from '../../../lib/local/relay/relay.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { samples } from '../../../samples/index.ts';
import { embeddedOffice } from '../../support/embedded.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { caregate, freshData } from '../../support/office.ts';
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
      ['a-notice', 'notice'],
    ] as const) {
      const at = '2027-03-01T09:00:00.000Z';
      const envelope = { id, at, source: 'care@home.example', destinations: ['info@clinic.example'] };
      await box.keep({ ...envelope, tags: { [tag]: 'a' } }, Buffer.from('Subject: one\r\n\r\nHello.\r\n'));
    }
    writeFileSync(join(original, 'circle.yaml'), 'id: ours\n');
    mkdirSync(join(original, 'something', 'of-a-later-release'), { recursive: true });
    writeFileSync(join(original, 'something', 'of-a-later-release', 'file'), 'kept');
    const { folder, at } = await snapshotAtRest(data, parts);
    file = join(freshData(), 'backup.tar.gz');
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
    expect(readdirSync(join(original)).filter((name) => name === 'snapshots')).toEqual([]);
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
    expect(await releaseHold(outbox)).toBe(true);
    await relay.work();
    expect([...(await relayEnds(outbox)).keys()].sort()).toEqual(['a-letter', 'a-notice']);
    expect(sent).toHaveLength(2);
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

/** The same bytes with one text replaced by another of its length. */
function changed(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(from);
  expect(at).toBeGreaterThan(0);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(to), bytes.subarray(at + to.length)]);
}
