import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isHeld, lockDataDirectory } from '../../lib/local/datalock.ts';
import { openOffice } from '../../lib/local/office.ts';
import { checkSelf } from '../../lib/local/selfcheck.ts';
import { type TroubleId, Troubles, troubleTexts } from '../../lib/local/troubles.ts';
import { readTroubles } from '../../lib/web/troubles.ts';
import { temporaryDirectory } from '../support/endpoints.ts';
import { caregate, freshData, startOffice } from '../support/office.ts';
import { ManualClock } from '../support/time.ts';

const hour = 3_600_000;
let clock: ManualClock;
let root: string;
let file: string;
beforeEach(async () => {
  root = await temporaryDirectory();
  file = join(root, 'troubles.json');
  clock = new ManualClock('2027-03-01T09:00:00.000Z');
});

describe('what keeps an office from working', () => {
  it('is told once when it begins and once when it ends, and says since when', () => {
    const told: string[] = [];
    const troubles = new Troubles({ file, clock, changed: ({ id }, begins) => told.push(`${id} ${begins}`) });
    troubles.report('mailbox-full', 'quota');
    clock.advance(hour);
    troubles.report('mailbox-full');
    expect(readTroubles(file)).toEqual([
      {
        id: 'mailbox-full',
        ...troubleTexts['mailbox-full'],
        since: '2027-03-01T09:00:00.000Z',
        seen: '2027-03-01T10:00:00.000Z',
      },
    ]);
    troubles.clear('mailbox-full', 'clock-off');
    expect(readTroubles(file)).toEqual([]);
    expect(told).toEqual(['mailbox-full true', 'mailbox-full false']);
  });

  it('is found out anew by every office', () => {
    new Troubles({ file, clock }).report('relay-unreachable');
    expect(new Troubles({ file, clock }).list()).toEqual([]);
    expect(readTroubles(file)).toEqual([]);
  });

  it.each(['', '[{"id":"x"}]', '{', '[]'])('is nothing for a file that holds %j', (text) => {
    writeFileSync(file, text);
    expect(readTroubles(file)).toEqual([]);
  });

  it('is known even where it cannot be written down', () => {
    const troubles = new Troubles({ file: join(root, 'absent', 'file'), clock });
    troubles.report('disk-full');
    expect(troubles.list().map(({ id }) => id)).toEqual(['disk-full']);
  });

  it.each(Object.keys(troubleTexts) as TroubleId[])('%s says what is wrong and what to do', (id) => {
    const { says, remedy } = troubleTexts[id];
    for (const text of [says, remedy]) expect(text).toMatch(/^[a-z][^\n]{20,}[^.\s]$/);
  });
});

describe('a data directory in use', () => {
  it('is refused to a second office, which leaves a note and changes nothing else', async () => {
    const first = lockDataDirectory(root);
    await expect(openOffice({ data: root })).toFailWithCode('DATA_DIRECTORY_INVALID');
    const troubles = new Troubles({ file, clock });
    checkSelf({ root, lock: first, troubles, clock });
    expect(troubles.list().map(({ id }) => id)).toEqual(['second-office']);
    clock.advance(2 * hour);
    checkSelf({ root, lock: first, troubles, clock });
    expect(troubles.list()).toEqual([]);
    first.release();
    lockDataDirectory(root).release();
  });

  it('comes free with the process that held it, whatever it left behind', async () => {
    const data = freshData();
    const office = await startOffice(data, ['--circle', 'rules/circle.example.yaml']);
    const second = await caregate(['start', '--once', '--data', data, '--port', '0', '--smtp', '0']);
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('in use by another office')]);
    await office.kill();
    // Its process id may belong to anything by now, such as this test.
    const left = join(data, 'office.json');
    writeFileSync(left, readFileSync(left, 'utf8').replace(/"pid": \d+/, `"pid": ${process.pid}`));
    lockDataDirectory(data).release();
  });

  it('is known to be in use without taking it, from any container', () => {
    expect(isHeld(root)).toBe(false);
    const lock = lockDataDirectory(root);
    expect([isHeld(root), isHeld(root), lock.refusedAnother()]).toEqual([true, true, false]);
    lock.release();
    expect(isHeld(root)).toBe(false);
    lockDataDirectory(root).release();
  });

  it('that cannot be written is not called in use', () => {
    mkdirSync(join(root, 'lock'));
    expect(() => lockDataDirectory(root)).toThrow(/cannot be written/);
  });
});
