import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ConnectionFile,
  findConnection,
  openDataDirectory,
  removeConnection,
  writeConnection,
} from '../../lib/local/datadirectory.ts';
import { temporaryDirectory } from '../support/endpoints.ts';

let root: string;
beforeEach(async () => {
  root = join(await temporaryDirectory(), 'some', 'data');
});
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('a data directory', () => {
  it('is made for its owner alone, and opened again as it is', () => {
    const made = openDataDirectory(root);
    expect([modeOf(root), modeOf(join(root, 'version'))]).toEqual([0o700, 0o600]);
    expect(openDataDirectory(root)).toEqual(made);
    for (const path of Object.values(made)) expect(path.startsWith(root)).toBe(true);
  });

  it('that is a file is refused, and stays one', () => {
    mkdirSync(join(root, '..'), { recursive: true });
    writeFileSync(root, 'mine');
    expect(() => openDataDirectory(root)).toFailWithCode('DATA_DIRECTORY_INVALID');
    expect(readFileSync(root, 'utf8')).toBe('mine');
  });

  it.each(['3', '0', '1.5', '', 'x'.repeat(100)])(
    'of another version, such as %j, is refused and left alone',
    (version) => {
      mkdirSync(root, { recursive: true });
      writeFileSync(join(root, 'version'), version);
      expect(() => openDataDirectory(root)).toFailWithCode('DATA_DIRECTORY_INVALID');
      expect(() => openDataDirectory(root)).not.toThrow('x'.repeat(21));
      expect(readFileSync(join(root, 'version'), 'utf8')).toBe(version);
    },
  );

  it('whose version cannot be read is refused', () => {
    mkdirSync(join(root, 'version'), { recursive: true });
    expect(() => openDataDirectory(root)).toFailWithCode('DATA_DIRECTORY_INVALID');
  });
});

describe('how to reach an office', () => {
  const connection: ConnectionFile = {
    pid: process.pid,
    web: 'http://127.0.0.1:8788/',
    smtp: 2525,
    region: 'us-east-1',
    machine: 'arn:aws:states:us-east-1:000000000000:stateMachine:cases',
    circle: 'example-household',
    signingKey: 'alias/links',
    credentials: { accessKeyId: 'AKIDTEST', secretAccessKey: 'only-for-this-test' },
    endpoints: { s3: 'http://127.0.0.1:9000/' },
  };
  const file = () => join(root, 'office.json');
  beforeEach(() => {
    openDataDirectory(root);
  });

  it('is written for the same user alone, and found while the office runs', () => {
    const noted = { ...connection, credentials: { ...connection.credentials, $source: 'the SDK' } };
    writeConnection(root, noted);
    expect(modeOf(file())).toBe(0o600);
    expect(findConnection(root)).toEqual(connection);
  });

  it('counts for nothing once the office was killed, or stopped', () => {
    writeConnection(root, { ...connection, pid: 2 ** 22 + 1 });
    expect(findConnection(root)).toBeUndefined();
    writeConnection(root, connection);
    removeConnection(root);
    removeConnection(root);
    expect(findConnection(root)).toBeUndefined();
  });

  it.each(['', '{', '{}', JSON.stringify({ ...connection, pid: -1 })])('counts for nothing as %j', (text) => {
    writeFileSync(file(), text);
    expect(findConnection(root)).toBeUndefined();
  });
});
