import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cursor } from '../../../lib/local/pickup/cursor.ts';

const mailbox = { host: 'imap.home.example', user: 'care', folder: 'INBOX' };
const old = { uid: 2, received: '2026-01-01T00:00:00.000Z', size: 10 };
let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'caregate-cursor-')), 'pickup');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

test('a mailbox that was never looked into has no cursor, and none is written', async () => {
  const cursor = await Cursor.open(directory, mailbox);
  await cursor.note(3, 'taken');
  cursor.marked(3);
  cursor.retainLarge([]);
  await cursor.flush();
  expect(cursor.begun('now')).toBe(false);
  expect([cursor.seen, cursor.owed, cursor.unmarked, cursor.large]).toEqual([0, [], [], []]);
  expect(() => readdirSync(directory)).toThrow();
});

test('what became of each mail is there after a restart', async () => {
  const cursor = await Cursor.open(directory, mailbox);
  await cursor.begin('7', 'now', { seen: 4, last: 4, before: [old] });
  await cursor.note(5, 'taken');
  await cursor.note(6, 'owed');
  await cursor.note(7, 'large');
  await cursor.note(8, 'left');
  await cursor.note(6, 'owed');
  const again = await Cursor.open(directory, { ...mailbox, host: 'IMAP.home.example' });
  expect(again.begun('now')).toBe(true);
  expect([again.isFor('7'), again.isFor('8')]).toEqual([true, false]);
  expect([again.seen, again.owed, again.unmarked, again.large]).toEqual([8, [6], [5], [7]]);
  expect([again.wasBefore(old), again.wasBefore({ ...old, size: 11 })]).toEqual([true, false]);
  expect(again.wasBefore({ ...old, uid: 5 })).toBe(false); // it came later, whatever it looks like
  await again.note(6, 'taken');
  again.marked(5);
  again.retainLarge([]);
  await again.flush();
  const last = await Cursor.open(directory, mailbox);
  expect([last.owed, last.unmarked, last.large]).toEqual([[], [6], []]);
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o77).toBe(0);
});

test('renumbered, all is looked at again but what lay there before', async () => {
  const cursor = await Cursor.open(directory, mailbox);
  await cursor.begin('7', '2026-01-02', { seen: 4, last: 4, before: [old] });
  await cursor.note(5, 'owed');
  await cursor.renumber('8', 20);
  const again = await Cursor.open(directory, mailbox);
  expect([again.seen, again.owed, again.isFor('8')]).toEqual([0, [], true]);
  expect([again.wasBefore({ ...old, uid: 20 }), again.wasBefore({ ...old, uid: 21 })]).toEqual([true, false]);
  expect(again.begun('2026-01-02')).toBe(true);
  const read = (seconds: number): boolean => {
    const received = new Date(Date.parse(old.received) + seconds * 1000).toISOString();
    return again.wasBefore({ ...old, uid: 20, received });
  };
  // A server that lost its index reads the time anew, and may round it another way.
  expect([-2, -1, 0, 1, 2].map(read)).toEqual([false, true, true, true, false]);
});

test('asked for more than before, it begins anew; asked for what is new, it goes on', async () => {
  const cursor = await Cursor.open(directory, mailbox);
  await cursor.begin('7', 'all', { seen: 0, last: 0, before: [] });
  expect([cursor.begun('now'), cursor.begun('all'), cursor.begun('2026-01-01')]).toEqual([true, true, false]);
});

test('another folder or user has a cursor of its own', async () => {
  await (await Cursor.open(directory, mailbox)).begin('7', 'now', { seen: 4, last: 4, before: [] });
  for (const other of [{ folder: 'Care' }, { user: 'mum' }, { host: 'imap.other.example' }]) {
    expect((await Cursor.open(directory, { ...mailbox, ...other })).begun('now')).toBe(false);
  }
});

test('a file that is no cursor is refused, since going on without would take old mails for new', async () => {
  await (await Cursor.open(directory, mailbox)).begin('7', 'now', { seen: 4, last: 4, before: [] });
  for (const name of readdirSync(directory)) writeFileSync(join(directory, name), '{"seen":');
  await expect(Cursor.open(directory, mailbox)).toFailWithCode('DATA_DIRECTORY_INVALID');
});
