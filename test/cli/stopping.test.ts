import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
