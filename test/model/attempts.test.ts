import { describe, expect, it } from 'vitest';
import { CaregateError } from '../../lib/errors.ts';
import { ask, type Question } from '../../lib/model/attempts.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { startModel } from '../support/model.ts';
import { type Step, scriptedModel } from '../support/script.ts';

const good: Step = { does: 'use', tool: 'answer', input: { word: 'yes' } };
const bad: Step = { does: 'use', tool: 'answer', input: { word: 7 } };
const prose: Step = { does: 'say', text: 'I would say yes.' };

async function run(steps: readonly Step[], changes: Partial<Question<string>> = {}) {
  const script = scriptedModel(steps);
  await using running = await startModel(script);
  const outcome = await ask({
    client: running.client,
    model: modelSettings('caregate.test'),
    system: 'Work.',
    input: (failed) => `failed: ${failed}`,
    tools: [{ name: 'answer', inputSchema: { json: { type: 'object' } } }],
    parse: (_tool, input) => {
      const { word } = input as { word: unknown };
      if (typeof word === 'string') return word;
      throw new CaregateError('MODEL_INVALID_ARGUMENTS', 'the `word` is not a text; ask again');
    },
    attempts: 2,
    ...changes,
  }).catch((error: unknown) => error);
  const inputs = script.requests.map((request) => request.messages?.[0]?.content?.[0]?.text);
  return { outcome, inputs };
}

describe('asking a model', () => {
  it('takes the first valid answer', async () => {
    const { outcome, inputs } = await run([good, bad]);
    expect(outcome).toMatchObject({ value: 'yes', attempts: 1, model: 'caregate.test' });
    expect(inputs).toEqual(['failed: null']);
  });

  it('asks once more, tells only the code, and counts both', async () => {
    const { outcome, inputs } = await run([bad, good]);
    expect(outcome).toMatchObject({
      value: 'yes',
      attempts: 2,
      usage: { inputTokens: 200, outputTokens: 20 },
    });
    expect(inputs).toEqual(['failed: null', 'failed: MODEL_INVALID_ARGUMENTS']);
  });

  it('gives up with the error of the last attempt and the cost of all', async () => {
    const { outcome, inputs } = await run([bad, prose, good]);
    expect(outcome).toMatchObject({ code: 'MODEL_NO_TOOL_USE', attempts: 2, usage: { inputTokens: 200 } });
    expect(inputs).toHaveLength(2);
  });

  it('does not ask again where the model cannot be reached', async () => {
    const { outcome, inputs } = await run([
      { does: 'refuse', status: 403, fault: 'AccessDeniedException' },
      good,
    ]);
    expect(outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE', attempts: 1 });
    expect(inputs).toHaveLength(1);
  });

  it.each([0, -3])('asks nothing when %i calls are left', async (attempts) => {
    const { outcome, inputs } = await run([good], { attempts });
    expect(outcome).toMatchObject({ code: 'MODEL_CALLS_SPENT', attempts: 0 });
    expect(inputs).toEqual([]);
  });

  it('passes on an error that is no bad answer', async () => {
    const parse = () => {
      throw new CaregateError('NOT_FOUND', 'the `thing` is gone; look elsewhere');
    };
    const { outcome, inputs } = await run([good, good], { parse });
    expect(outcome).toMatchObject({ code: 'NOT_FOUND' });
    expect(inputs).toHaveLength(1);
  });
});
