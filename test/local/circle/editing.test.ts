import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { noteCircle, readChanges, recordChange } from '../../../lib/local/circle/changes.ts';
import { addEntry, removeEntry, writeCircle } from '../../../lib/local/circle/editing.ts';
import { circleDigest, loadCircle } from '../../../lib/provenance/circle.ts';
import { exampleCircle } from '../../support/cases.ts';
import { ManualClock } from '../../support/time.ts';

const example = readFileSync(new URL('../../../rules/circle.example.yaml', import.meta.url), 'utf8');
const clock = new ManualClock('2027-03-01T09:00:00.000Z');
let file: string;
let log: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-circle-'));
  [file, log] = [join(folder, 'circle.yaml'), join(folder, 'changes.jsonl')];
  writeCircle(file, example);
});
const pharmacy = { id: 'pharmacy', name: 'Pharmacy', email: 'p@pharmacy.example' };

describe('a change of the circle', () => {
  it('adds an entry, keeps every comment and gives a new digest', () => {
    const { circle, before, after } = addEntry(file, 'contacts', pharmacy);
    expect(circle.contacts.at(-1)).toEqual(pharmacy);
    expect(loadCircle(file)).toEqual(circle);
    expect([before, after]).toEqual([circleDigest(exampleCircle), circleDigest(circle)]);
    const comments = (text: string) => text.match(/#.*/g);
    expect(comments(readFileSync(file, 'utf8'))).toEqual(comments(example));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('adds to a list that is empty or is not there', () => {
    for (const contacts of ['contacts: []\n', '']) {
      const [before = ''] = example.split('contacts:');
      const after = example.slice(example.indexOf('folders:'), example.indexOf('grants:'));
      writeFileSync(file, `${before}${contacts}${after}`);
      expect(addEntry(file, 'contacts', pharmacy).circle.contacts).toEqual([pharmacy]);
    }
  });

  it('removes an entry', () => {
    expect(removeEntry(file, 'people', 'tom').circle.people.map(({ id }) => id)).toEqual(['maya']);
  });

  it.each([
    ['an id that nobody has', () => removeEntry(file, 'contacts', 'nobody'), 'NOT_FOUND'],
    [
      'somebody who is granted something',
      () => removeEntry(file, 'contacts', 'hillside-records'),
      'CONFIGURATION_INVALID',
    ],
    [
      'an address that is there',
      () => addEntry(file, 'contacts', { ...pharmacy, email: 'records@hillside-clinic.example' }),
      'CONFIGURATION_INVALID',
    ],
    [
      'an id that is there',
      () => addEntry(file, 'people', { ...pharmacy, id: 'tom', roles: ['viewer'] }),
      'CONFIGURATION_INVALID',
    ],
    [
      'what is no address',
      () => addEntry(file, 'contacts', { ...pharmacy, email: 'nowhere' }),
      'CONFIGURATION_INVALID',
    ],
  ] as const)('by %s is refused and changes nothing', (_name, change, code) => {
    expect(change).toFailWithCode(code);
    expect(readFileSync(file, 'utf8')).toBe(example);
  });
});

describe('the record of changes', () => {
  it('says what, when, by whom and between which digests, and no name', () => {
    const { before, after } = addEntry(file, 'contacts', pharmacy);
    recordChange(log, clock, { change: 'added', list: 'contacts', id: 'pharmacy', before, after });
    expect(readChanges(log)).toEqual([
      expect.objectContaining({
        at: '2027-03-01T09:00:00.000Z',
        change: 'added',
        id: 'pharmacy',
        before,
        after,
      }),
    ]);
    expect(readFileSync(log, 'utf8')).not.toContain('@');
  });

  it('notes at a start what was changed by hand, once', () => {
    expect(readChanges(log)).toEqual([]);
    expect(noteCircle(log, clock, exampleCircle)).toMatchObject({ change: 'edited' });
    expect(noteCircle(log, clock, exampleCircle)).toBeUndefined();
    const { circle, before } = removeEntry(file, 'people', 'tom');
    expect(noteCircle(log, clock, circle)).toMatchObject({ change: 'edited', before });
    expect(readChanges(log)).toHaveLength(2);
  });

  it('that was damaged is refused by its line', () => {
    noteCircle(log, clock, exampleCircle);
    writeFileSync(log, 'nonsense\n', { flag: 'a' });
    expect(() => readChanges(log)).toFailWithCode('CONFIGURATION_INVALID');
  });
});
