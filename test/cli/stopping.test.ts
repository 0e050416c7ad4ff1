import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { freshData, startOffice } from '../support/office.ts';

describe('an office that is stopped by a service manager', () => {
  it('closes cleanly while it hands its first mails over', async () => {
    const data = freshData();
    const office = await startOffice(data);
    await expect.poll(() => readdirSync(join(data, 'objects', 'caregate-inbox')).length).toBeGreaterThan(0);
    office.connection.close();
    office.child.kill('SIGTERM');
    const [code, signal] = await once(office.child, 'close');
    expect([code, signal]).toEqual([0, null]);
    expect(existsSync(join(data, 'office.json'))).toBe(false);
  }, 60_000);
});

describe('an office that cannot show how its cases stand', () => {
  it('stays open all the same', async () => {
    const data = freshData();
    const office = await startOffice(data, ['--circle', 'rules/circle.example.yaml']);
    const { circle } = office.connection.file;
    const key = { circle, case: 'c-one' } as never;
    await office.connection.store.create(layout.case(key), '{'); // damaged
    await office.connection.index.note(key, {
      status: 'closed',
      reason: 'ACCEPTED',
      openedAt: '2026-12-01T00:00:00Z',
      execution: 'c-one',
    });
    await office.stop();
    const again = await startOffice(data, ['--circle', 'rules/circle.example.yaml']);
    await expect.poll(() => again.said(), { timeout: 20_000 }).toContain('c-one/case.json` is not JSON');
    expect(await again.connection.index.list(circle as never)).toHaveLength(1);
    expect(again.child.exitCode).toBeNull();
    await again.stop();
    expect(again.child.exitCode).toBe(0);
  }, 60_000);
});
