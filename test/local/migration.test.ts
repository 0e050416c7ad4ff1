import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as tar from 'tar';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDataDirectory } from '../../lib/local/datadirectory.ts';
import {
  currentVersion,
  migrateDataDirectory,
  migrations,
  readVersion,
  versionFile,
} from '../../lib/local/migration.ts';
import { openOffice } from '../../lib/local/office.ts';
import { type MailedLink, mailedLinks } from '../../lib/local/outboxcodes.ts';
import { embeddedOffice } from '../support/embedded.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { caregate, freshData } from '../support/office.ts';

let root: string;
beforeEach(async () => {
  root = await temporaryDirectory();
  writeFileSync(versionFile(root), '1\n');
});

describe('a data directory of version 1, as a release of then left it', () => {
  /** Two invented mails: one filed, and one whose letter waits for Maya's approval. Its key signs nothing else. */
  const fixture = fileURLToPath(new URL('fixtures/datadirectory-1.tar.gz', import.meta.url));
  beforeEach(async () => {
    await tar.extract({ file: fixture, cwd: root, preserveOwner: false });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-01T07:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('goes on: what waited is approved by the code that was mailed, and all of it passes the audit', async () => {
    const office = await embeddedOffice({ data: root });
    const [link] = await mailedLinks(office.outbox);
    const url = new URL(new URL(link?.url ?? '').pathname, office.running.web).href;
    expect(
      await office.submit({ ...(link as MailedLink), url }, { code: link?.code ?? '', choice: 'approve' }),
    ).toBe(200);
    await office.running.idle();
    const cases = await office.office.index.list(office.running.circle.id);
    const reports = await Promise.all(cases.map((entry) => office.settled(entry.case)));
    await office.running.close();
    const ends = reports.flatMap(({ actions }) => actions.map(({ tool, status }) => `${tool} ${status}`));
    expect(ends.sort()).toEqual(['file_document verified', 'file_document verified', 'send_email sent']);
    const audit = await caregate(['audit', '--all', '--data', root]);
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('2 cases, all consistent')]);
  }, 60_000);

  it('keeps its version where the office was killed amid the step, and is finished by the next', async () => {
    const module = new URL('../../lib/local/migration.ts', import.meta.url).href;
    const program = `const { migrateDataDirectory } = await import(process.argv[1]);
migrateDataDirectory(process.argv[2], { 1: () => process.kill(process.pid, 'SIGKILL') });`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', program, module, root]);
    expect([killed.signal, readVersion(root)]).toEqual(['SIGKILL', 1]);
    const office = await openOffice({ data: root });
    await office.close();
    expect(readVersion(root)).toBe(currentVersion);
  });
});

describe('a data directory of an earlier version', () => {
  it('is brought to the current one, step by step, when an office opens it', async () => {
    const data = freshData();
    openDataDirectory(data);
    writeFileSync(versionFile(data), '1\n');
    writeFileSync(join(data, 'of-the-household'), 'kept');
    // A command that looks at it leaves it to the office that may run.
    openDataDirectory(data);
    expect(readVersion(data)).toBe(1);
    const office = await openOffice({ data });
    await office.close();
    expect(readVersion(data)).toBe(currentVersion);
    expect(readFileSync(join(data, 'of-the-household'), 'utf8')).toBe('kept');
  });

  it('has a step from every version that there was', () => {
    for (let version = 1; version < currentVersion; version += 1)
      expect(migrations[version]).toBeTypeOf('function');
    expect(migrateDataDirectory(root)).toBe(1);
    expect(migrateDataDirectory(root)).toBe(currentVersion);
  });

  it('whose step fails keeps its version, and is tried again', () => {
    const failing = {
      1: () => {
        throw new RangeError('no room');
      },
    };
    expect(() => migrateDataDirectory(root, failing)).toThrow('no room');
    expect(readVersion(root)).toBe(1);
    let done = 0;
    migrateDataDirectory(root, { 1: () => (done += 1) });
    expect([done, readVersion(root)]).toEqual([1, 2]);
  });

  it('that was cut short between step and number is finished', () => {
    writeFileSync(`${versionFile(root)}.new`, '');
    migrateDataDirectory(root);
    expect(readVersion(root)).toBe(currentVersion);
    expect(existsSync(`${versionFile(root)}.new`)).toBe(false);
  });

  it('from which no step leads on is refused, and left as it is', () => {
    expect(() => migrateDataDirectory(root, {})).toFailWithCode('DATA_DIRECTORY_INVALID');
    expect(readVersion(root)).toBe(1);
  });
});
