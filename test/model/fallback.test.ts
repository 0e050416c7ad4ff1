import { describe, expect, it } from 'vitest';
import { forceToolUse } from '../../lib/model/converse.ts';
import { cannotBeForced, modelSettings } from '../../lib/model/models.ts';
import { startModel } from '../support/model.ts';
import { type Step, scriptedModel } from '../support/script.ts';

const good: Step = { does: 'use', tool: 'answer', input: { word: 'yes' } };
const refusal = (fault: string, status = 400): Step => ({ does: 'refuse', status, fault });
const model = modelSettings('{"id":"amazon.first","family":"nova","fallback":{"id":"amazon.nova-second"}}');

async function run(steps: readonly Step[], settings = model) {
  const script = scriptedModel(steps);
  await using running = await startModel(script);
  const outcome = await forceToolUse(running.client, {
    model: settings,
    system: 'Work.',
    messages: [{ role: 'user', content: [{ text: 'Now.' }] }],
    tools: [{ name: 'answer', inputSchema: { json: { type: 'object' } } }],
  }).catch((error: unknown) => error);
  return { outcome, asked: script.requests.length, requests: script.requests };
}

describe('a model with another to fall back on', () => {
  it.each([
    ['ThrottlingException', 429],
    ['ServiceUnavailableException', 503],
    ['ModelNotReadyException', 429],
    ['InternalServerException', 500],
  ])('has the other asked after %s, and the answer names who gave it', async (fault, status) => {
    const { outcome, asked } = await run([refusal(fault, status), good]);
    expect(outcome).toMatchObject({ tool: 'answer', model: 'amazon.nova-second' });
    expect(asked).toBe(2);
  });

  it('is asked alone while it answers', async () => {
    const { outcome, asked } = await run([good]);
    expect(outcome).toMatchObject({ model: 'amazon.first' });
    expect(asked).toBe(1);
  });

  it.each([
    ['MODEL_NO_TOOL_USE', { does: 'say', text: 'Well.' }],
    ['MODEL_UNKNOWN_TOOL', { does: 'use', tool: 'other', input: {} }],
    ['MODEL_INVALID_ARGUMENTS', { does: 'break-off', stop: 'max_tokens', tool: 'answer', input: {} }],
    ['MODEL_UNAVAILABLE', refusal('ValidationException')],
    ['MODEL_UNAVAILABLE', refusal('AccessDeniedException', 403)],
  ] as const)('never has the other asked after %s of its own making', async (code, step) => {
    const { outcome, asked } = await run([step, good]);
    expect(outcome).toMatchObject({ code });
    expect(asked).toBe(1);
  });

  it('fails as unavailable where the other is away as well', async () => {
    const { outcome, asked } = await run([
      refusal('ThrottlingException', 429),
      refusal('ThrottlingException', 429),
    ]);
    expect(outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(asked).toBe(2);
  });

  it('fails at once where there is no other', async () => {
    const { outcome, asked } = await run(
      [refusal('ThrottlingException', 429), good],
      modelSettings('amazon.first'),
    );
    expect(outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(asked).toBe(1);
  });
});

describe('the settings of a model', () => {
  it('take a fallback by its id or with its capabilities, of the same family alone', () => {
    expect(modelSettings('{"id":"amazon.nova-a","fallback":"amazon.nova-b"}').fallback).toMatchObject({
      id: 'amazon.nova-b',
      family: 'nova',
      choice: 'any',
    });
    for (const fallback of [
      '"anthropic.claude-haiku-4-5"',
      '7',
      '{"id":"amazon.nova-b","fallback":"amazon.nova-c"}',
    ]) {
      expect(() => modelSettings(`{"id":"amazon.nova-a","fallback":${fallback}}`)).toFailWithCode(
        'CONFIGURATION_INVALID',
      );
    }
  });

  it('hand further parameters to the model as they are written', async () => {
    const settings = modelSettings(
      '{"id":"amazon.nova-a","parameters":{"reasoningConfig":{"type":"disabled"}}}',
    );
    const { requests } = await run([good], settings);
    expect(requests[0]?.additionalModelRequestFields).toEqual({ reasoningConfig: { type: 'disabled' } });
  });

  it('say that a model cannot be forced, unless that is meant', () => {
    expect(cannotBeForced(modelSettings('amazon.nova-a'))).toBe(false);
    expect(cannotBeForced(modelSettings('{"id":"x","choice":"auto"}'))).toBe(true);
    expect(cannotBeForced(modelSettings('{"id":"x","choice":"auto","unforced":true}'))).toBe(false);
  });
});
