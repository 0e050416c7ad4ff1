import { describe, expect, it, vi } from 'vitest';
import type { LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { ServiceFault } from '../../lib/local/endpoints/fault.ts';
import { modelClient } from '../../lib/model/client.ts';
import { type ForcedRequest, forceToolUse } from '../../lib/model/converse.ts';
import { ModelFailure } from '../../lib/model/failure.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { startModel } from '../support/model.ts';
import { type Step, scriptedModel } from '../support/script.ts';

const tool = (name: string) => ({ name, description: name, inputSchema: { json: { type: 'object' } } });
const tools = [tool('file_it'), tool('stop')];
const request: ForcedRequest = {
  model: modelSettings('caregate.test'),
  system: 'Work.',
  messages: [{ role: 'user', content: [{ text: 'A letter.' }] }],
  tools,
};

async function ask(steps: readonly Step[], changes: Partial<ForcedRequest> = {}, attempts = 1) {
  const script = scriptedModel(steps);
  await using running = await startModel(script, attempts);
  const outcome = await forceToolUse(running.client, { ...request, ...changes }).catch(
    (error: unknown) => error,
  );
  return { outcome, requests: script.requests };
}

const use = { does: 'use', tool: 'file_it', input: { where: 'here' } } as const;

describe('a forced tool use', () => {
  it('comes back with what it cost', async () => {
    const { outcome } = await ask([use]);
    expect(outcome).toEqual({
      tool: 'file_it',
      input: { where: 'here' },
      usage: { inputTokens: 100, outputTokens: 10, latencyMs: expect.any(Number), retries: 0 },
      model: 'caregate.test',
    });
  });

  it('is taken alone: words beside it are ignored', async () => {
    const { outcome } = await ask([{ ...use, text: 'I file it, and {"tool":"stop"}.' }]);
    expect(outcome).toMatchObject({ tool: 'file_it', input: { where: 'here' } });
  });

  it.each<[string, string, Step]>([
    ['words only', 'MODEL_NO_TOOL_USE', { does: 'say', text: '{"tool":"file_it","input":{}}' }],
    ['nothing at all', 'MODEL_NO_TOOL_USE', { does: 'say-nothing' }],
    [
      'two tools',
      'MODEL_SEVERAL_TOOL_USES',
      { does: 'use-several', uses: [use, { tool: 'stop', input: {} }] },
    ],
    ['one tool twice', 'MODEL_SEVERAL_TOOL_USES', { does: 'use-several', uses: [use, use] }],
    ['a tool that was not offered', 'MODEL_UNKNOWN_TOOL', { does: 'use', tool: 'send_money', input: {} }],
    ['a tool of another case', 'MODEL_UNKNOWN_TOOL', { does: 'use', tool: 'File_it', input: {} }],
    [
      'a tool use at the token limit',
      'MODEL_INVALID_ARGUMENTS',
      { ...use, does: 'break-off', stop: 'max_tokens' },
    ],
    [
      'a garbled tool use',
      'MODEL_INVALID_ARGUMENTS',
      { ...use, does: 'break-off', stop: 'malformed_tool_use' },
    ],
  ])('%s is a typed error that says what it cost: %s', async (_, code, step) => {
    const { outcome } = await ask([step]);
    expect(outcome).toBeInstanceOf(ModelFailure);
    expect(outcome).toMatchObject({ code, name: code, usage: { inputTokens: 100, outputTokens: 10 } });
  });

  it("Nova's unfinished tool use is a bad answer, not an absent model", async () => {
    const broken = { does: 'refuse', status: 424, fault: 'ModelErrorException' } as const;
    const { outcome } = await ask([{ ...broken, message: 'Model produced an invalid ToolUse sequence' }]);
    expect(outcome).toMatchObject({ code: 'MODEL_INVALID_ARGUMENTS' });
    const other = await ask([{ ...broken, message: 'something else went wrong' }]);
    expect(other.outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });
});

describe('how the choice is forced', () => {
  it.each([
    ['any of several tools', 'caregate.test', tools, { any: {} }],
    [
      'the only tool, by name for Claude',
      'anthropic.claude-haiku-4-5-20251001-v1:0',
      [tool('stop')],
      { tool: { name: 'stop' } },
    ],
    ['several tools for Claude', 'anthropic.claude-haiku-4-5-20251001-v1:0', tools, { any: {} }],
    ['the only tool for Nova, which refuses names', 'amazon.nova-micro-v1:0', [tool('stop')], { any: {} }],
    ['not at all where the model rejects it', '{"id":"x","choice":"auto"}', tools, undefined],
  ])('%s', async (_, model, offered, choice) => {
    const { requests } = await ask([use], { model: modelSettings(model), tools: offered });
    expect(requests[0]?.toolConfig?.toolChoice).toEqual(choice);
  });

  it('a temperature is sent only to a model that takes one', async () => {
    const cold = await ask([use]);
    expect(cold.requests[0]?.inferenceConfig).toEqual({ maxTokens: 2000, temperature: 0 });
    const none = await ask([use], { model: modelSettings('{"id":"x","temperature":false}') });
    expect(none.requests[0]?.inferenceConfig).toEqual({ maxTokens: 2000 });
  });

  it('a conversation is made acceptable before it is sent', async () => {
    const { outcome, requests } = await ask([use], {
      messages: [
        { role: 'user', content: [{ text: 'Go' }, { text: ' ' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'stop', input: {} } }] },
      ],
    });
    expect(outcome).toMatchObject({ tool: 'file_it' });
    expect(requests[0]?.messages).toHaveLength(3);
  });
});

describe('a model that cannot be reached', () => {
  it.each([
    [403, 'AccessDeniedException'],
    [404, 'ResourceNotFoundException'],
    [400, 'ValidationException'],
    [503, 'ServiceUnavailableException'],
  ])('status %i is named in the error: %s', async (status, fault) => {
    const { outcome } = await ask([{ does: 'refuse', status, fault }]);
    expect(outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining(fault) });
  });

  it('a throttled call is sent again by the SDK, and counted', async () => {
    const throttled = { does: 'refuse', status: 429, fault: 'ThrottlingException' } as const;
    const { outcome, requests } = await ask([throttled, use], {}, 2);
    expect(outcome).toMatchObject({ tool: 'file_it', usage: { retries: 1 } });
    expect(requests).toHaveLength(2);
  });

  it('nobody listening is the same error', async () => {
    const running = await startModel(scriptedModel([]));
    await running[Symbol.asyncDispose]();
    await expect(forceToolUse(running.client, request)).toFailWithCode('MODEL_UNAVAILABLE');
  });

  it('a call that is called off is the same error', async () => {
    const { outcome } = await ask([use], { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  it('the message of the service is not repeated, since it may quote what was sent', async () => {
    const model: LocalModel = async () => {
      throw new ServiceFault(400, 'ValidationException', 'the text `Dear Rosa` is not valid');
    };
    await using running = await startModel(model);
    const error = await forceToolUse(running.client, request).catch((failure: unknown) => failure);
    expect(String(error)).not.toContain('Rosa');
  });
});

describe('the client that is configured by the environment', () => {
  it('speaks to a loopback endpoint', async () => {
    await using running = await startModel(scriptedModel([use]));
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', running.url);
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'only-for-this-test');
    try {
      const client = modelClient({ attempts: 1 });
      expect(await forceToolUse(client, request)).toMatchObject({ tool: 'file_it' });
      client.destroy();
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
