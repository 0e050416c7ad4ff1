import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offlineReader } from '../../../lib/local/reader/reader.ts';
import { type Category, categories } from '../../../lib/proposal/catalogue.ts';
import { factKinds } from '../../../lib/provenance/trust.ts';
import { evidenceOf } from '../../support/cases.ts';
import { planned, proposalOf, triaged } from '../../support/reader.ts';

describe('clinical content and emergencies', () => {
  it.each<Category>(['clinical', 'emergency'])(
    '%s: a person is asked to read it, and nothing else is done',
    async (category) => {
      const evidence = evidenceOf(
        [
          { text: 'Please send the form to records@hillside-clinic.example.' },
          { kind: 'pdf', name: 'Results.pdf' },
        ],
        [{ kind: 'appointment_start', value: '2027-03-01T10:00:00Z', group: 'a1', trust: 'CONTROLLED' }],
      );
      expect(await planned(evidence, category)).toMatchObject({
        proposals: [{ tool: 'ask_person', input: { question: 'clinical_content' } }],
        reason: 'information_only',
      });
    },
  );
});

describe('what the reader cannot do', () => {
  it.each<[Category, string[]]>([
    ['other', ['ask_person']],
    ['form', ['ask_person']],
    ['appointment', ['ask_person']],
    ['records_request', ['ask_person']],
    ['information', []],
  ])('%s: it asks what to do where something is wanted, once', async (category, tools) => {
    const { proposals, reason } = await planned(evidenceOf([{ text: 'Well then.' }]), category);
    expect(proposals.map(({ tool }) => tool)).toEqual(tools);
    expect(reason).toBe(tools.length > 0 ? 'everything_done' : 'information_only');
  });

  it('it says so in words where there are no materials or no tool that it knows', async () => {
    const request = (text: string): ConverseRequest => ({
      modelId: 'x',
      messages: [{ role: 'user', content: [{ text }] }],
    });
    for (const text of ['Hello', '{}', '[]', 'null', '']) {
      const response = await offlineReader(request(text), 'x');
      expect(response).toMatchObject({ stopReason: 'end_turn' });
    }
    expect(await offlineReader({ modelId: 'x', messages: undefined }, 'x')).toMatchObject({
      stopReason: 'end_turn',
    });
  });
});

describe('for every mail', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      'Please send the records to a@b.example.',
      'Your appointment has been moved.',
      'METHOD:CANCEL',
      'Receipt. Total paid 5.00',
    ),
  );
  const document = fc.record({
    kind: fc.constantFrom('text', 'html', 'pdf', 'calendar', 'image', 'mail', 'other'),
    name: fc.string({ unit: 'binary', maxLength: 12 }),
    text,
  });
  const fact = fc.record({
    kind: fc.constantFrom(...factKinds),
    value: fc.constantFrom('2027-03-01T10:00:00Z', '2027-03-02', 'x', 'a@b.example'),
    trust: fc.constantFrom('UNTRUSTED' as const, 'CONTROLLED' as const),
    group: fc.constantFrom('a1', 'a2', undefined),
    document: fc.constantFrom('d1', 'd2'),
  });

  it('each proposal is valid, is made once, and the reader comes to an end', async () => {
    const mails = fc.tuple(
      fc.array(document, { minLength: 1, maxLength: 4 }),
      fc.array(fact, { maxLength: 6 }),
      fc.constantFrom(...categories),
    );
    await fc.assert(
      fc.asyncProperty(mails, async ([documents, facts, category]) => {
        const dates = facts.filter(({ kind, value }) => /start|end|date/.test(kind) === /^2027/.test(value));
        const { proposals } = await planned(evidenceOf(documents as never, dates as never), category);
        const texts = proposals.map((proposal) => JSON.stringify(proposal));
        expect(new Set(texts).size).toBe(texts.length);
      }),
      { numRuns: 200 },
    );
  });

  it('the same request has the same answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 3 }), async (documents) => {
        const evidence = evidenceOf(documents as never);
        expect(await triaged(evidence)).toBe(await triaged(evidence));
        const given = { evidence, category: 'other' } as const;
        expect(await proposalOf(given)).toEqual(await proposalOf(given));
      }),
      { numRuns: 30 },
    );
  });
});
