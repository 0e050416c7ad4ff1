import { describe, expect, it } from 'vitest';
import { modelFamilies, modelSettings } from '../../lib/model/models.ts';
import { categories } from '../../lib/proposal/catalogue.ts';
import { triagePrompt } from '../../lib/proposal/prompt.ts';
import { type TriageOptions, triage, triageSpecification } from '../../lib/proposal/triage.ts';
import { evidenceOf, exampleCircle } from '../support/cases.ts';
import { startModel } from '../support/model.ts';
import { type Step, scriptedModel } from '../support/script.ts';
import { ManualClock } from '../support/time.ts';

const clock = new ManualClock('2027-03-04T12:00:00Z');
const classify = (input: unknown): Step => ({ does: 'use', tool: 'classify_mail', input });

async function run(steps: readonly Step[], changes: Partial<TriageOptions> = {}) {
  const script = scriptedModel(steps);
  await using running = await startModel(script);
  const outcome = await triage({
    client: running.client,
    model: modelSettings('anthropic.claude-haiku-4-5-20251001-v1:0'),
    evidence: evidenceOf([{ text: 'Your appointment.' }]),
    circle: exampleCircle,
    standing: 'contact',
    clock,
    ...changes,
  }).catch((error: unknown) => error);
  return { outcome, requests: script.requests };
}

describe('triage', () => {
  it('asks for one category with one tool, by name where the model takes that', async () => {
    const { outcome, requests } = await run([classify({ category: 'appointment' })]);
    expect(outcome).toMatchObject({ category: 'appointment', attempts: 1 });
    expect(requests[0]?.toolConfig?.toolChoice).toEqual({ tool: { name: 'classify_mail' } });
  });

  it.each<[string, unknown]>([
    ['a category that does not exist', { category: 'lottery' }],
    ['a category in capitals', { category: 'Appointment' }],
    ['a reason beside it', { category: 'appointment', because: 'x' }],
    ['nothing', {}],
    ['a text', 'appointment'],
  ])('%s is refused, and asked for once more', async (_, input) => {
    const { outcome } = await run([classify(input), classify({ category: 'form' })]);
    expect(outcome).toMatchObject({ category: 'form', attempts: 2, usage: { inputTokens: 200 } });
    const twice = await run([classify(input), classify(input)]);
    expect(twice.outcome).toMatchObject({ code: 'MODEL_INVALID_ARGUMENTS', attempts: 2 });
  });

  it('a planning tool is none of its tools', async () => {
    const step: Step = { does: 'use', tool: 'no_further_action', input: { reason: 'everything_done' } };
    const { outcome } = await run([step, step]);
    expect(outcome).toMatchObject({ code: 'MODEL_UNKNOWN_TOOL' });
  });

  it('asks nothing when no call is left', async () => {
    const { outcome, requests } = await run([classify({ category: 'form' })], { callsLeft: 0 });
    expect(outcome).toMatchObject({ code: 'MODEL_CALLS_SPENT' });
    expect(requests).toEqual([]);
  });

  it.each(modelFamilies)('the tool lists every category for %s, and the prompt explains each', (family) => {
    const schema = JSON.stringify(triageSpecification(family).inputSchema);
    const prompt = triagePrompt(exampleCircle, clock);
    for (const category of categories) {
      expect(schema).toContain(`"${category}"`);
      expect(prompt).toContain(`- ${category}: `);
    }
  });
});
