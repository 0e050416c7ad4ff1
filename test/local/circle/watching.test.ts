import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { removeEntry, writeCircle } from '../../../lib/local/circle/editing.ts';
import { watchCircles } from '../../../lib/local/circle/watching.ts';
import { exampleCircle } from '../../support/cases.ts';

const example = readFileSync(new URL('../../../rules/circle.example.yaml', import.meta.url), 'utf8');
let file: string;
let taken: string[][];
let look: () => void;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'caregate-circle-')), 'circle.yaml');
  writeCircle(file, example);
  taken = [];
  look = watchCircles(file, [exampleCircle], ([circle]) =>
    taken.push(circle?.people.map(({ id }) => id) ?? []),
  );
});

it('hands over a circle that changed, once', () => {
  look();
  removeEntry(file, 'people', 'tom');
  look();
  look();
  expect(taken).toEqual([['maya']]);
});

it.each([
  ['is no circle at the moment', (text: string) => text.replace('people:', 'persons:')],
  ['has another inbox, which the ways in are bound to', (text: string) => text.replace('care@', 'other@')],
])('leaves everything as it is where the file %s', (_, change) => {
  writeFileSync(file, change(example));
  look();
  expect(taken).toEqual([]);
});
