import { describe, expect, it } from 'vitest';
import { type RecordingContext, recordFacts, recordSpecification } from '../../lib/evidence/recording.ts';
import { evidenceSchema } from '../../lib/evidence/schema.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import { offlineReader } from '../../lib/local/reader/reader.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { startModel } from '../support/model.ts';
import { circle, clock, evidenceOf, valuesOf } from '../support/reading.ts';
import { type Step, scriptedModel } from '../support/script.ts';

const letter =
  'Dear Rosa,\n\nYour eye check is on Thursday 4 March 2027 at 10:30am.\nThe shuttle leaves on Friday 5 March 2027 at 8:00am.\nAsk for Wendy, extension 12, or ring 01632 960 114.\nThe deposit is £20.\n\nYours sincerely,\nCardiology bookings office';
const letterEvidence = evidenceOf({ text: letter });

async function record(
  steps: readonly Step[],
  changes: Partial<RecordingContext> = {},
  evidence?: Evidence,
): Promise<Awaited<ReturnType<typeof recordFacts>>> {
  await using running = await startModel(scriptedModel(steps));
  const parts = { bedrock: running.client, evidenceModel: modelSettings('caregate.test') };
  return await recordFacts(parts, evidence ?? (await letterEvidence), { circle, clock, ...changes });
}

const claim = (kind: string, value: string, quote: string, more: object = {}) => ({
  ...{ kind, value, quote, document: 'd1', page: 1 },
  ...more,
});
const answer = (...facts: readonly object[]): Step => ({
  does: 'use',
  tool: 'record_facts',
  input: { facts },
});

describe('a fact that a model adds', () => {
  it('is kept where its quote stands on the page and says its value, and is never more than untrusted', async () => {
    const { evidence, dropped } = await record([
      answer(
        claim('person', 'Wendy', 'Ask for Wendy, extension 12'),
        claim('appointment_place', 'extension 12', 'Ask for Wendy, extension 12', { group: 'a1' }),
        claim(
          'appointment_start',
          '2027-03-05T08:00:00Z',
          'The shuttle leaves on Friday 5 March 2027 at 8:00am',
        ),
      ),
    ]);
    expect(dropped).toEqual([]);
    const added = evidence.facts.slice(-3);
    expect(added.map(({ kind, value, trust, group }) => [kind, value, trust, group])).toEqual([
      ['person', 'Wendy', 'UNTRUSTED', undefined],
      ['appointment_place', 'extension 12', 'UNTRUSTED', 'a1'],
      ['appointment_start', '2027-03-05T08:00+00:00', 'UNTRUSTED', undefined],
    ]);
    expect(added[2]?.doubt).toBe('model');
    expect(evidence.recording).toEqual({ model: 'caregate.test', attempts: 1, added: 3, dropped: {} });
    expect(evidenceSchema.parse(JSON.parse(JSON.stringify(evidence)))).toEqual(evidence);
  });

  it.each([
    ['QUOTE_NOT_FOUND', claim('person', 'Wendy', 'ask for Wendy')],
    ['QUOTE_NOT_FOUND', claim('person', 'Bob', 'Ask for Bob')],
    ['QUOTE_NOT_FOUND', claim('person', ' ', ' ')],
    ['DOCUMENT_UNKNOWN', claim('person', 'Wendy', 'Ask for Wendy', { document: 'd9' })],
    ['DOCUMENT_UNKNOWN', claim('person', 'Wendy', 'Ask for Wendy', { page: 2 })],
    ['GROUP_UNKNOWN', claim('appointment_title', 'Ask', 'Ask for Wendy', { group: 'a9' })],
    ['VALUE_NOT_IN_QUOTE', claim('person', 'Wendy Jones', 'Ask for Wendy')],
    ['VALUE_NOT_IN_QUOTE', claim('date', '2027-03-05', 'Thursday 4 March 2027')],
    [
      'VALUE_NOT_IN_QUOTE',
      claim('appointment_start', '2027-03-04T11:30Z', 'Thursday 4 March 2027 at 10:30am'),
    ],
    ['VALUE_NOT_IN_QUOTE', claim('appointment_start', '2027-03-04', 'Thursday 4 March 2027')],
    ['VALUE_NOT_IN_QUOTE', claim('date', '2027-03-04T10:30+00:00', letter.slice(12, 140))],
    ['VALUE_NOT_IN_QUOTE', claim('appointment_end', '2027-03-04', 'Thursday 4 March 2027')],
    ['VALUE_NOT_IN_QUOTE', claim('amount', 'GBP 20', 'The deposit is £20.')],
    ['VALUE_NOT_IN_QUOTE', claim('phone_number', '+441632960115', 'ring 01632 960 114')],
    ['VALUE_NOT_IN_QUOTE', claim('email_address', 'a@b.example', 'Ask for Wendy')],
    ['VALUE_NOT_IN_QUOTE', claim('appointment_change', 'cancelled', 'Your eye check is on')],
    ['KNOWN_ALREADY', claim('phone_number', '+44 1632 960114', 'ring 01632 960 114')],
    ['KNOWN_ALREADY', claim('amount', 'GBP 2000', 'The deposit is £20.')],
  ])('is dropped as %s: %j', async (reason, fact) => {
    const { evidence, dropped } = await record([answer(fact)]);
    expect(dropped.map((each) => each.reason)).toEqual([reason]);
    expect(evidence.facts).toEqual((await letterEvidence).facts);
    expect(evidence.recording).toMatchObject({ added: 0, dropped: { [reason]: 1 } });
  });
});

describe('a model that gives no valid answer', () => {
  it.each([
    ['MODEL_NO_TOOL_USE', { does: 'say', text: 'There is a fact.' }],
    ['MODEL_UNKNOWN_TOOL', { does: 'use', tool: 'send_email', input: {} }],
    ['MODEL_INVALID_ARGUMENTS', { does: 'use', tool: 'record_facts', input: { facts: 'none' } }],
    ['MODEL_INVALID_ARGUMENTS', answer(claim('appointment_uid', 'Wendy', 'Ask for Wendy'))],
  ] as const)('is asked twice and then done without, as %s', async (failure, step) => {
    const { evidence, dropped } = await record([step, step]);
    expect(dropped).toEqual([]);
    expect(evidence.facts).toEqual((await letterEvidence).facts);
    expect(evidence.recording).toEqual({
      model: 'caregate.test',
      attempts: 2,
      added: 0,
      dropped: {},
      failure,
    });
  });

  it('may be right the second time', async () => {
    const { evidence } = await record([{ does: 'say', text: 'x' }, answer()]);
    expect(evidence.recording).toEqual({ model: 'caregate.test', attempts: 2, added: 0, dropped: {} });
  });

  it('is not asked when the mail has no call left, nor about documents without text', async () => {
    const { evidence } = await record([], { callsLeft: 0 });
    expect(evidence.recording).toMatchObject({ attempts: 0, failure: 'MODEL_CALLS_SPENT' });
    const nothing = { documents: [], facts: [] };
    expect(await record([], {}, nothing)).toEqual({ evidence: nothing, dropped: [] });
  });
});

describe('the offline reader', () => {
  it('adds the office that signs a letter, and nothing where it sees nothing', async () => {
    await using running = await startModel(offlineReader);
    const parts = { bedrock: running.client, evidenceModel: modelSettings('caregate.offline-reader') };
    const signed = await recordFacts(parts, await letterEvidence, { circle, clock });
    expect(valuesOf(signed.evidence.facts, 'organisation')).toContain('Cardiology bookings office');
    const plain = await recordFacts(parts, await evidenceOf({ text: 'See you there.' }), { circle, clock });
    expect(plain.evidence.recording).toMatchObject({ added: 0, dropped: {}, attempts: 1 });
  });
});

describe('the tool', () => {
  it('is plain for Nova and strict elsewhere', () => {
    expect(JSON.stringify(recordSpecification('nova'))).not.toContain('additionalProperties');
    expect(JSON.stringify(recordSpecification('other'))).toContain('additionalProperties');
  });
});
