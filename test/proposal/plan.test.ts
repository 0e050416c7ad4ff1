import { describe, expect, it } from 'vitest';
import { modelSettings } from '../../lib/model/models.ts';
import { toolNames } from '../../lib/proposal/catalogue.ts';
import { type PlanOptions, plan } from '../../lib/proposal/plan.ts';
import { evidenceOf, exampleCircle } from '../support/cases.ts';
import { startModel } from '../support/model.ts';
import { type Step, scriptedModel } from '../support/script.ts';
import { ManualClock } from '../support/time.ts';

const good: Step = { does: 'use', tool: 'no_further_action', input: { reason: 'information_only' } };
const bad: Step = { does: 'use', tool: 'no_further_action', input: { reason: 'tired' } };

async function run(steps: readonly Step[], changes: Partial<PlanOptions> = {}) {
  const script = scriptedModel(steps);
  await using running = await startModel(script);
  const outcome = await plan({
    client: running.client,
    model: modelSettings('caregate.test'),
    evidence: evidenceOf([{ text: 'Our opening hours.' }]),
    circle: exampleCircle,
    category: 'information',
    standing: 'accepted',
    actions: [],
    denied: undefined,
    clock: new ManualClock('2027-03-04T12:00:00Z'),
    callsLeft: 20,
    ...changes,
  }).catch((error: unknown) => error);
  return { outcome, requests: script.requests };
}

const shown = (request: unknown) =>
  JSON.parse(
    (request as { messages: { content: { text: string }[] }[] }).messages[0]?.content[0]?.text ?? '',
  ) as Record<string, unknown>;

describe('planning', () => {
  it('offers the whole catalogue and takes the one proposal', async () => {
    const { outcome, requests } = await run([good]);
    expect(outcome).toMatchObject({
      proposal: { tool: 'no_further_action', input: { reason: 'information_only' } },
      attempts: 1,
      model: 'caregate.test',
    });
    expect(requests[0]?.toolConfig?.tools?.map(({ toolSpec }) => toolSpec?.name)).toEqual(toolNames);
    expect(requests[0]?.system?.[0]?.text).toContain('Today is Thursday, 2027-03-04');
  });

  it('tells a second attempt the code of the failure, and nothing else of it', async () => {
    const { outcome, requests } = await run([bad, good]);
    expect(outcome).toMatchObject({ attempts: 2 });
    expect(requests.map((request) => shown(request).failed)).toEqual([null, 'MODEL_INVALID_ARGUMENTS']);
    expect(JSON.stringify(requests[1])).not.toContain('tired');
  });

  it.each<[string, Step]>([
    ['MODEL_INVALID_ARGUMENTS', bad],
    ['MODEL_NO_TOOL_USE', { does: 'say', text: 'Nothing to do.' }],
    [
      'MODEL_SEVERAL_TOOL_USES',
      {
        does: 'use-several',
        uses: [
          { tool: 'ask_person', input: {} },
          { tool: 'ask_person', input: {} },
        ],
      },
    ],
    ['MODEL_UNKNOWN_TOOL', { does: 'use', tool: 'wire_money', input: {} }],
  ])('ends with %s after two attempts', async (code, step) => {
    const { outcome, requests } = await run([step, step, good]);
    expect(outcome).toMatchObject({ code, attempts: 2 });
    expect(requests).toHaveLength(2);
  });

  it('makes no more calls than the mail has left', async () => {
    const one = await run([bad, good], { callsLeft: 1 });
    expect(one.outcome).toMatchObject({ code: 'MODEL_INVALID_ARGUMENTS', attempts: 1 });
    const none = await run([good], { callsLeft: 0 });
    expect(none.outcome).toMatchObject({ code: 'MODEL_CALLS_SPENT' });
  });

  it('shows what was proposed and refused', async () => {
    const past = {
      action: 1,
      tool: 'send_email',
      outcome: 'DENY',
      reason: 'DESTINATION_NOT_TRUSTED',
    } as const;
    const { requests } = await run([good], {
      actions: [{ ...past, input: {} }],
      denied: 'DESTINATION_NOT_TRUSTED',
    });
    expect(shown(requests[0])).toMatchObject({ actions: [past], denied: 'DESTINATION_NOT_TRUSTED' });
  });
});
