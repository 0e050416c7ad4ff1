import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Circle } from '../../lib/provenance/circle.ts';
import {
  addressesOf,
  circleNamed,
  circlesAddressed,
  loadCircles,
  loadDeployedCircles,
} from '../../lib/provenance/circles.ts';

const example = readFileSync('rules/circle.example.yaml', 'utf8');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'caregate-circles-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The example under another id and inbox. */
const written = (id: string, inbox: string): string =>
  example.replace(/^id: .*$/m, `id: ${id}`).replace(/^inbox: .*$/m, `inbox: ${inbox}`);
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('the circles of a deployment', () => {
  it('are one file, or every YAML file of a directory', () => {
    expect(loadCircles('rules/circle.example.yaml').map(({ id }) => id)).toEqual(['example-household']);
    write('b.yaml', written('north', 'north@inbox.example'));
    write('a.yaml', written('south', 'south@inbox.example'));
    write('notes.txt', 'not a circle');
    for (const load of [loadCircles, loadDeployedCircles]) {
      expect(load(folder).map(({ id }) => id)).toEqual(['south', 'north']);
    }
  });

  it.each([
    ['id', written('north', 'other@inbox.example')],
    ['inbox', written('south', 'NORTH@inbox.example')],
  ])('are refused where two have one %s', (same, text) => {
    write('a.yaml', written('north', 'north@inbox.example'));
    write('b.yaml', text);
    expect(() => loadCircles(folder)).toFailWithCode('CONFIGURATION_INVALID');
    expect(() => loadDeployedCircles(folder)).toThrow(`\`${same}\``);
  });

  it('are refused where there is none', () => {
    mkdirSync(join(folder, 'empty'));
    for (const path of [join(folder, 'empty'), join(folder, 'absent')]) {
      expect(() => loadCircles(path)).toFailWithCode('CONFIGURATION_INVALID');
    }
  });

  it('have their patterns tried when they are read, and not again by each function', () => {
    write('a.yaml', `${example}\nidentifiers: [{ id: ref, name: Ref, pattern: "(((" }]\n`);
    expect(() => loadCircles(folder)).toThrow('identifiers.0.pattern');
    expect(loadDeployedCircles(folder)).toHaveLength(1);
  });

  it('are found by their id alone', () => {
    const circles = loadCircles('rules/circle.example.yaml');
    expect(circleNamed(circles, 'example-household')).toBe(circles[0]);
    for (const id of ['', 'Example-household', 'another']) {
      expect(() => circleNamed(circles, id)).toFailWithCode('CIRCLE_UNKNOWN');
    }
  });
});

describe('the circles that a mail is for', () => {
  const addressed = (...recipients: string[]) =>
    circlesAddressed(loadCircles(folder), recipients).map(({ id }) => id);
  beforeEach(() => {
    write('a.yaml', written('north', 'north@inbox.example'));
    write('b.yaml', written('south', 'south@inbox.example'));
  });

  it('are those whose inbox the envelope names, letter by letter apart from case', () => {
    expect(addressed('north@inbox.example')).toEqual(['north']);
    expect(addressed('South@Inbox.Example', 'else@inbox.example')).toEqual(['south']);
    expect(addressed('north@inbox.example', 'south@inbox.example')).toEqual(['north', 'south']);
    for (const other of ['north+x@inbox.example', 'north@inbox.example.org', 'norTh@inboX.example ']) {
      expect(addressed(other)).toEqual([]);
    }
    expect(addressed('\u212Aorth@inbox.example')).toEqual([]);
  });

  it('are those that write from an address, since a letter is answered there, unless several do', () => {
    const [north, south] = loadCircles(folder) as [Circle, Circle];
    const of = (address: string, ...circles: Circle[]) =>
      circlesAddressed(circles, [address]).map(({ id }) => id);
    const shared = north.senders.letters;
    expect(of(shared, north)).toEqual(['north']);
    expect(of(shared, north, south)).toEqual([]);
    const apart = { ...south, senders: { ...south.senders, letters: 'of-the-south@inbox.example' } };
    expect(of(shared, north, apart)).toEqual(['north']);
    expect(of('Of-the-South@inbox.example', north, apart)).toEqual(['south']);
    expect(addressesOf(apart, [north, apart])).toEqual(['south@inbox.example', 'of-the-south@inbox.example']);
  });

  it('are none where the recipients are not known, unless there is one circle only', () => {
    expect(addressed()).toEqual([]);
    expect(circlesAddressed(loadCircles('rules/circle.example.yaml'), [])).toHaveLength(1);
  });
});
