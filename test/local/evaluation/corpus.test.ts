import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  attemptsOf,
  mailsOf,
  markedFor,
  mutantSample,
  routes,
  sampled,
} from '../../../lib/local/evaluation/attempts.ts';
import { parseCorpus, readCorpus } from '../../../lib/local/evaluation/corpus.ts';
import { countingTools, targetOf } from '../../../lib/local/evaluation/counting.ts';
import { evaluationCircle } from '../../../lib/local/evaluation/household.ts';
import { catalogue, toolNames } from '../../../lib/proposal/catalogue.ts';

const circle = evaluationCircle();
const shipped = readCorpus('rules/corpus.jsonl');
const outside = shipped.attacks.filter((attack) => !attemptsOf(attack, circle).some(({ inside }) => inside));

/** The share of the runs of three words that two texts have in common. */
function likeness(one: string, other: string): number {
  const runs = (text: string) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}@.]+/gu) ?? [];
    return new Set(words.slice(2).map((_, at) => words.slice(at, at + 3).join(' ')));
  };
  const [a, b] = [runs(one), runs(other)];
  const common = [...a].filter((run) => b.has(run)).length;
  return common / Math.max(1, Math.min(a.size, b.size));
}

describe('the shipped corpus', () => {
  it('has at least sixty attacks from outside, some inside, and forty benign mails', () => {
    expect(outside.length).toBeGreaterThanOrEqual(60);
    expect(shipped.attacks.length - outside.length).toBeGreaterThanOrEqual(8);
    expect(shipped.benign.length).toBeGreaterThanOrEqual(40);
  });

  it('repeats nothing: no two texts have more than a fifth of their phrases in common', () => {
    const texts = [...shipped.attacks, ...shipped.benign].filter(
      ({ text }) => !text.startsWith('BEGIN:VCALENDAR'),
    );
    const alike = texts.flatMap((one, at) =>
      texts
        .slice(at + 1)
        .filter((other) => likeness(one.text, other.text) > 0.2)
        .map((other) => [one.id, other.id]),
    );
    expect(alike).toEqual([]);
  });

  it('is invented: every address and page in it is under a reserved name', () => {
    const names =
      readFileSync('rules/corpus.jsonl', 'utf8').match(/@[\w.-]+\.[a-z]{2,}|https?:\/\/[\w.-]+/g) ?? [];
    expect(names.filter((name) => !/\.example$/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(60);
  });

  it('attacks from outside name no entry of the circle, and different places', () => {
    const places = outside.map(({ destination }) => destination);
    expect(places).not.toContain(undefined);
    expect(new Set(places).size).toBe(places.length);
  });

  it('is played by every route with every tool that counts', () => {
    const mails = mailsOf({ attacks: outside, benign: [] }, circle);
    const played = mails.flatMap(({ payload, route, attempts }) =>
      attempts.map(({ tool, inside }) => `${payload.id} ${route} ${tool} ${inside}`),
    );
    expect(new Set(played).size).toBe(outside.length * routes.length * countingTools().length);
    expect(mails.every(({ attempts }) => attempts.length <= 3)).toBe(true);
    expect(new Set(mails.map(({ mark }) => mark)).size).toBe(mails.length);
  });
});

describe('the tools that count', () => {
  it('are those that have an effect today and somewhere to land', () => {
    const landing = toolNames.filter((tool) =>
      Object.values(catalogue[tool].arguments).some(({ class: kind }) => kind !== 'VALUE'),
    );
    expect(countingTools()).toEqual(landing.filter((tool) => catalogue[tool].available));
    expect(countingTools()).toEqual(
      expect.arrayContaining(['file_document', 'add_appointment', 'send_email']),
    );
    expect(countingTools()).not.toContain('ask_person');
  });

  it('reach an entry by its id, and a contact by its very address', () => {
    expect(targetOf('file_document', 'records', circle)).toEqual({
      target: { entry: 'records' },
      inside: true,
    });
    const address = 'RECORDS@hillside-clinic.example';
    expect(targetOf('send_email', address, circle)).toEqual({ target: { literal: address }, inside: true });
    expect(targetOf('send_email', 'records', circle)).toEqual({
      target: { literal: 'records' },
      inside: false,
    });
    expect(targetOf('file_document', address, circle).inside).toBe(false);
  });
});

describe('an attack', () => {
  const attack = (more: object) => ({ id: 'x', text: 'Write to them', ...more });

  it('inside the circle is played only with the tools that could get there', () => {
    expect(attemptsOf(attack({ destination: 'family' }), circle).map(({ tool }) => tool)).toEqual([
      'add_appointment',
    ]);
  });

  it('with a tool of its own is played with that one alone', () => {
    const [only, ...others] = attemptsOf(attack({ destination: 'family', tool: 'send_email' }), circle);
    expect(only).toEqual({ tool: 'send_email', target: { literal: 'family' }, inside: false });
    expect(others).toEqual([]);
  });

  it('without a destination goes to the first address of its text, or else to nobody', () => {
    const target = (text: string) => attemptsOf({ id: 'x', text }, circle)[0]?.target;
    expect(target('Write to eve@far.example or adam@far.example')).toEqual({ literal: 'eve@far.example' });
    expect(target('Write to them')).toEqual({ literal: 'nobody@outside.example' });
  });
});

describe('a sample', () => {
  it('is the same every time, of every kind, and no larger than it says', () => {
    const tenth = sampled(shipped, 0.1, circle);
    expect(sampled(shipped, 0.1, circle)).toEqual(tenth);
    expect(tenth.benign).toHaveLength(Math.ceil(shipped.benign.length / 10));
    const inside = tenth.attacks.filter((attack) => attemptsOf(attack, circle)[0]?.inside);
    expect(inside).toHaveLength(1);
    expect(tenth.attacks).toHaveLength(Math.ceil(outside.length / 10) + 1);
  });
});

describe('what every mutant is shown', () => {
  it('is a little of each kind, with marks of its own', () => {
    const mails = mutantSample(shipped, circle);
    expect(mails.map(({ attempts }) => attempts.map(({ tool, inside }) => `${tool} ${inside}`))).toEqual([
      countingTools()
        .slice(0, 3)
        .map((tool) => `${tool} false`),
      ...countingTools().map(() => expect.arrayContaining([expect.stringMatching(/ true$/)])),
      [],
      [],
    ]);
    const [one, other] = ['filing/deleted', 'allow-all'].map((name) => markedFor(mails, name));
    expect(new Set([...(one ?? []), ...(other ?? [])].map(({ mark }) => mark)).size).toBe(2 * mails.length);
    expect(mutantSample({ attacks: [], benign: [] }, circle)).toEqual([]);
  });
});

describe('a corpus', () => {
  const good = '{"id": "a", "text": "Write to them"}';

  it('is read line by line, blank lines left out', () => {
    const corpus = parseCorpus(
      `\ufeff${good}\r\n\r\n{"id": "b", "text": "Thanks", "benign": true}\n`,
      'c.jsonl',
    );
    expect(corpus).toEqual({
      attacks: [{ id: 'a', text: 'Write to them' }],
      benign: [{ id: 'b', text: 'Thanks', benign: true }],
    });
  });

  it.each([
    ['what is no JSON', `${good}\n{"id": `, 'line 2: it is not JSON; write {"id", "text"'],
    ['a list', '[]', 'line 1: it is no object'],
    [
      'an unknown key',
      '{"id": "a", "text": "x", "weight": 1}',
      'line 1: key `weight` is unknown; write {"id"',
    ],
    ['a missing id', `\n${good}\n{"text": "x"}`, 'line 3: key `id`: write a text of 1 to 100'],
    ['a missing text', '{"id": "a"}', 'key `text`: write a text of 1 to 20,000'],
    ['a blank text', '{"id": "a", "text": " "}', 'key `text`: write'],
    [
      'an unknown tool',
      '{"id": "a", "text": "x", "tool": "erase"}',
      'key `tool`: write one of file_document',
    ],
    [
      'a tool that leads nowhere',
      '{"id": "a", "text": "x", "tool": "ask_person"}',
      'write one of file_document, add_app',
    ],
    [
      'a destination of two lines',
      '{"id": "a", "text": "x", "destination": "a\\nb"}',
      'key `destination`: write one line',
    ],
    [
      'a benign that is no truth',
      '{"id": "a", "text": "x", "benign": "yes"}',
      'key `benign`: write true or false',
    ],
    ['an id that stands twice', `${good}\n${good}`, 'line 2: key `id` is that of line 1; write another'],
    ['no line at all', '\n\n', 'line 1: there is no line'],
  ])('is refused for %s, with the line and what to write', (_, text, where) => {
    const read = () => parseCorpus(text, 'c.jsonl');
    expect(read).toFailWithCode('INVALID_INPUT');
    expect(read).toThrow('corpus `c.jsonl`');
    expect(read).toThrow(where);
  });

  it('may name what should come of a benign mail by any tool', () => {
    const line = '{"id": "a", "text": "x", "tool": "ask_person", "benign": true}';
    expect(parseCorpus(line, 'c.jsonl').benign).toHaveLength(1);
  });

  it('that cannot be read is named', () => {
    expect(() => readCorpus('no-such.jsonl')).toFailWithCode('NOT_FOUND');
  });
});
