import { cpSync, mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { caregate, freshData } from '../support/office.ts';

const folder = mkdtempSync(join(tmpdir(), 'caregate-bad-'));
const rules = fileURLToPath(new URL('../../rules', import.meta.url));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function refused(args: readonly string[], code: string, names: string): Promise<void> {
  const ran = await caregate([...args, '--json']);
  expect(ran.code, ran.stderr).toBe(2);
  expect(ran.objects.at(-1)).toMatchObject({ error: code });
  expect(ran.stderr).toContain(names);
}

describe('bad input is named, and nothing is half done', () => {
  it('a missing file', () =>
    refused(['mail', '/nowhere/x.eml', '--data', freshData()], 'NOT_FOUND', '/nowhere/x.eml'));

  it('an empty file', async () => {
    const empty = file('empty.eml', '');
    await refused(['mail', empty, '--data', freshData()], 'MAIL_UNREADABLE', 'empty.eml');
  });

  it('a file that is not a mail', async () => {
    const other = file('picture.eml', '\u0000\u0001\u0002 this is no mail at all');
    await refused(['start', other, '--once', '--data', freshData()], 'MAIL_UNREADABLE', 'picture.eml');
  });

  it('a mail over 40 MB', async () => {
    const large = file('large.eml', 'From: maya@family.example\r\n\r\n');
    truncateSync(large, 41 * 1024 * 1024);
    await refused(['mail', large, '--data', freshData()], 'MAIL_TOO_LARGE', 'large.eml');
  });

  it('a busy port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await refused(
      ['start', '--once', '--smtp', '0', '--port', String(port), '--data', freshData()],
      'PORT_IN_USE',
      String(port),
    );
    server.close();
  });

  it('a port that is none', async () => {
    const ran = await caregate(['start', '--port', '70000']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('65535');
  });

  it('a data directory that is a file', async () => {
    const data = file('data-file', 'not a directory');
    await refused(['start', '--once', '--data', data], 'DATA_DIRECTORY_INVALID', 'data-file');
  });

  it('a corrupt journal stays as it is', async () => {
    const data = freshData();
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'journal.sqlite'), 'garbage'.repeat(2000));
    await refused(
      ['start', '--once', '--data', data, '--port', '0', '--smtp', '0'],
      'DATA_DIRECTORY_INVALID',
      'journal',
    );
  });

  it('a data directory of a newer version', async () => {
    const data = freshData();
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'version'), '99\n');
    await refused(['cases', '--data', data], 'DATA_DIRECTORY_INVALID', '99');
  });

  it('a bad rules file', async () => {
    const own = join(folder, 'rules');
    cpSync(rules, own, { recursive: true });
    writeFileSync(join(own, 'policy.yaml'), 'rules: [ { id: x, decision: MAYBE } ]\n');
    await refused(
      ['start', '--once', '--data', freshData(), '--rules', own, '--port', '0', '--smtp', '0'],
      'CONFIGURATION_INVALID',
      'policy',
    );
  });

  it('a bad circle', async () => {
    const circle = file('circle.yaml', 'id: Nobody Here\n');
    await refused(
      ['start', '--once', '--data', freshData(), '--circle', circle],
      'CONFIGURATION_INVALID',
      'circle.yaml',
    );
  });

  it('a case that does not exist', () =>
    refused(['why', 'c-0000', '--data', freshData()], 'NOT_FOUND', 'c-0000'));

  it('a command that does not exist', async () => {
    const ran = await caregate(['frobnicate']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('frobnicate');
  });
});
