import { describe, expect, it } from 'vitest';
import { addAnswer } from '../../lib/evidence/evidence.ts';
import { evidenceSchema, limits } from '../../lib/evidence/schema.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle, clock, evidenceOf } from '../support/reading.ts';

const options = { circle, clock };
const nothing: Evidence = { documents: [], facts: [] };
const answered = (text: string, before = nothing) =>
  addAnswer(before, { text, person: 'maya', question: 'which_date' }, options);
const dates = (text: string) =>
  answered(text)
    .evidence.facts.slice(1)
    .map(({ kind, value, trust, validator, group }) => [kind, value, trust, validator, group]);

describe('addAnswer', () => {
  it('adds a document, and a fact that a person vouches for', async () => {
    const before = await evidenceOf({ text: 'Your review is on 03/04/2027 at 10:30am.' });
    const { evidence, bytes } = answered('It is in Room 3.', before);
    const document = evidence.documents.at(-1);
    expect(document).toMatchObject({ alias: 'd2', kind: 'text', name: 'Answer of maya' });
    expect(document?.pages[0]).toContain('which_date');
    expect([...bytes].map(([id, content]) => id === sha256(content) && id === document?.id)).toEqual([true]);
    expect(evidence.facts.slice(0, before.facts.length)).toEqual(before.facts);
    expect(evidence.facts.at(-1)).toMatchObject({
      id: `f${before.facts.length + 1}`,
      kind: 'answer',
      value: 'It is in Room 3.',
      trust: 'CONTROLLED',
      validator: 'person-answer',
      source: { document: document?.id, page: 1, quote: 'It is in Room 3.' },
    });
    expect(evidenceSchema.parse(JSON.parse(JSON.stringify(evidence)))).toEqual(evidence);
  });

  it('raises a date-time that can mean one instant only, without a group', () => {
    const start = ['appointment_start', '2027-03-04T10:30+00:00', 'CONTROLLED', 'person-answer', undefined];
    expect(dates('Yes: Thursday 4 March 2027 at 10:30am')).toEqual([start]);
    expect(dates('4 March 2027, 10:30')).toEqual([start]);
  });

  it('raises a day as a date, and a time in the past as a date', () => {
    expect(dates('on 4 March 2027')).toEqual([
      ['date', '2027-03-04', 'CONTROLLED', 'person-answer', undefined],
    ]);
    expect(dates('7 January 2027 at 10:30am')).toEqual([
      ['date', '2027-01-07T10:30+00:00', 'CONTROLLED', 'person-answer', undefined],
    ]);
  });

  it.each([
    '03/04/2027 at 10:30am',
    'Friday 4 March 2027 at 10:30am',
    '4 March 2027 at 3:15',
    'at 10:30am',
    '05/03',
    'next Thursday',
  ])('raises nothing that is not certain: %s', (text) => {
    expect(dates(text)).toEqual([]);
  });

  it('reads the answer alone, not the question that was asked', () => {
    const question = 'Is it on Thursday 4 March 2027 at 10:30am?';
    const { evidence } = addAnswer(nothing, { text: 'yes', person: 'maya', question }, options);
    expect(evidence.facts.map(({ kind, value }) => [kind, value])).toEqual([['answer', 'yes']]);
  });

  it('changes nothing when the same answer comes again', () => {
    const { evidence } = answered('yes');
    expect(answered('yes', evidence).evidence).toBe(evidence);
    expect(answered('no', evidence).evidence.documents.map(({ alias }) => alias)).toEqual(['d1', 'd2']);
  });

  it.each(['', ' \u200b\n', 'x'.repeat(2001)])('refuses an answer that is empty or too long', (text) => {
    expect(() => answered(text)).toFailWithCode('INVALID_INPUT');
  });

  it('takes an answer of 2,000 characters, and 100 answers beside a full mail', () => {
    const { evidence } = answered('x'.repeat(2000));
    expect(evidence.facts[0]?.value).toHaveLength(2000);
    const [document] = evidence.documents;
    const full = {
      documents: Array.from({ length: limits.documents + limits.answers }, () => document),
      facts: [],
    };
    expect(() => answered('one more', full as unknown as Evidence)).toFailWithCode('INVALID_INPUT');
  });

  it('quotes a long answer within bounds', () => {
    const quote = answered('word '.repeat(300)).evidence.facts[0]?.source.quote ?? '';
    expect(quote.length).toBeGreaterThan(0);
    expect(quote.length).toBeLessThanOrEqual(limits.quote);
  });
});
