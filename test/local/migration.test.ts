import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDataDirectory } from '../../lib/local/datadirectory.ts';
import {
  currentVersion,
  migrateDataDirectory,
  migrations,
  readVersion,
  versionFile,
} from '../../lib/local/migration.ts';
import { openOffice } from '../../lib/local/office.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { freshData } from '../support/office.ts';

let root: string;
beforeEach(async () => {
  root = await temporaryDirectory();
  writeFileSync(versionFile(root), '1\n');
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
