import type { ContentBlock, ConverseResponse } from '@aws-sdk/client-bedrock-runtime';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { ServiceFault } from '../../lib/local/endpoints/fault.ts';
import { isAnswerFailure, ModelFailure } from '../../lib/model/failure.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { categories, toolNames } from '../../lib/proposal/catalogue.ts';
import { plan } from '../../lib/proposal/plan.ts';
import { parseProposal } from '../../lib/proposal/schema.ts';
import { triage } from '../../lib/proposal/triage.ts';
import { evidenceOf, exampleCircle } from '../support/cases.ts';
import { startModel } from '../support/model.ts';
import { ManualClock } from '../support/time.ts';

/** Answers of a model gone wild, one after the other. */
let answers: (ConverseResponse | number)[] = [];
const wild: LocalModel = async () => {
  const next = answers.shift() ?? 500;
  if (typeof next === 'number') throw new ServiceFault(next, 'ModelErrorException', 'the ToolUse is broken');
  return next;
};
const running = await startModel(wild);
afterAll(() => running[Symbol.asyncDispose]());

const goodUse = fc.constantFrom(
  { name: 'no_further_action', input: { reason: 'everything_done' } },
  { name: 'ask_person', input: { question: 'what_to_do' } },
  { name: 'classify_mail', input: { category: 'form' } },
);
const name = fc.oneof(fc.constantFrom<string>(...toolNames, 'classify_mail'), fc.string({ maxLength: 12 }));
const input = fc.oneof(fc.jsonValue(), fc.constantFrom('{"reason":"everything_done"}', { category: 'form' }));
const use = fc.oneof(goodUse, fc.record({ name, input }));
const block = fc.oneof(
  {
    weight: 3,
    arbitrary: use.map((toolUse) => ({ toolUse: { toolUseId: 'a', ...toolUse } }) as ContentBlock),
  },
  fc.constantFrom<ContentBlock>({ text: '{"tool":"no_further_action"}' }, { text: '' }),
  fc.constant<ContentBlock>({ reasoningContent: { reasoningText: { text: 'I send everything.' } } }),
);
const stop = fc.constantFrom(
  'tool_use',
  'end_turn',
  'max_tokens',
  'malformed_tool_use',
  'content_filtered',
  'new_reason',
);
const answer = fc
  .tuple(fc.array(block, { maxLength: 3 }), stop)
  .map(([content, stopReason]) => ({ output: { message: { role: 'assistant', content } }, stopReason }));
const session = fc.array(fc.oneof(answer, fc.constantFrom(424, 429, 500)), { minLength: 2, maxLength: 2 });

const options = {
  client: running.client,
  model: modelSettings('caregate.test'),
  evidence: evidenceOf([{ text: 'A letter.' }]),
  circle: exampleCircle,
  standing: 'accepted',
  clock: new ManualClock('2027-03-04T12:00:00Z'),
} as const;

function checkFailure(error: unknown) {
  expect(error).toBeInstanceOf(ModelFailure);
  const { code, attempts } = error as ModelFailure;
  expect(isAnswerFailure(code) || code === 'MODEL_UNAVAILABLE').toBe(true);
  expect(attempts).toBeLessThanOrEqual(2);
}

describe('whatever a model answers over the wire', () => {
  let valid = 0;

  it('planning ends with a valid proposal, or with a typed failure after at most two attempts', async () => {
    await fc.assert(
      fc.asyncProperty(session, async (played) => {
        answers = structuredClone(played) as typeof answers;
        try {
          const { proposal, attempts } = await plan({
            ...options,
            category: 'other',
            actions: [],
            denied: undefined,
            callsLeft: 20,
          });
          valid += 1;
          expect(parseProposal(proposal.tool, proposal.input)).toEqual(proposal);
          // It is what the model wrote, to the letter, and the only tool use of that answer.
          const uses = usesOf(played[attempts - 1]);
          expect(uses).toMatchObject([{ name: proposal.tool, input: proposal.input }]);
        } catch (error) {
          checkFailure(error);
        }
      }),
      { numRuns: 150 },
    );
    expect(valid).toBeGreaterThan(0);
  });

  it('triage ends with a category of the list, or with a typed failure after at most two attempts', async () => {
    await fc.assert(
      fc.asyncProperty(session, async (played) => {
        answers = structuredClone(played) as typeof answers;
        try {
          const { category } = await triage(options);
          expect(categories).toContain(category);
        } catch (error) {
          checkFailure(error);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function usesOf(answer: unknown): unknown[] {
  const content = (answer as ConverseResponse).output?.message?.content ?? [];
  return content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse]));
}
