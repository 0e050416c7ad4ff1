import {
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { bedrockService, type LocalModel } from '../../../lib/local/endpoints/bedrock.ts';
import { startModel } from '../../support/model.ts';
import { ManualClock } from '../../support/time.ts';

const echo: LocalModel = async (request, modelId) => ({
  output: { message: { role: 'assistant', content: [{ text: `${modelId} ${JSON.stringify(request)}` }] } },
  stopReason: 'end_turn',
  usage: undefined,
  metrics: undefined,
});

const tools = [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }];
const hello: Message = { role: 'user', content: [{ text: 'Hello' }] };
const call: Message = {
  role: 'assistant',
  content: [{ toolUse: { toolUseId: 'a', name: 'look', input: { deep: [1, null, { x: 'é' }] } } }],
};
const result: Message = {
  role: 'user',
  content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'seen' }, { json: { n: 1 } }] } }],
};

async function send(input: Partial<ConverseCommandInput>) {
  await using running = await startModel(echo);
  const command = new ConverseCommand({ modelId: 'test.model-v1:0', messages: [hello], ...input });
  return await running.client.send(command).catch((error: unknown) => error as Error);
}

describe('Converse on loopback', () => {
  it('gives the SDK a response, and the model the request and its id', async () => {
    const arn = 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.test-v1:0';
    const response = await send({ modelId: arn, system: [{ text: 'Work.' }] });
    const text = 'output' in response ? response.output?.message?.content?.[0]?.text : String(response);
    expect(text).toBe(
      `${arn} {"messages":[{"role":"user","content":[{"text":"Hello"}]}],"system":[{"text":"Work."}]}`,
    );
  });

  it('estimates tokens and measures latency where the model does not', async () => {
    const response = await send({});
    expect(response).toMatchObject({
      stopReason: 'end_turn',
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      metrics: { latencyMs: expect.any(Number) },
    });
  });

  it('reports the latency of its own clock', async () => {
    const clock = new ManualClock('2027-01-01T00:00:00Z');
    const slow: LocalModel = async (request, id) => {
      clock.advance(1234);
      return echo(request, id);
    };
    const body = new TextEncoder().encode(JSON.stringify({ messages: [hello] }));
    const response = await bedrockService({ model: slow, clock }).handle({
      method: 'POST',
      path: '/model/x/converse',
      query: new URLSearchParams(),
      headers: {},
      body,
    });
    expect(JSON.parse(String(response.body))).toMatchObject({ metrics: { latencyMs: 1234 } });
  });

  it('takes a conversation whose calls are answered', async () => {
    expect(await send({ messages: [hello, call, result], toolConfig: { tools } })).toMatchObject({
      stopReason: 'end_turn',
    });
  });
});

const two = [tools[0], tools[0]] as typeof tools;
const blank: Message = { role: 'user', content: [{ text: ' ' }] };

describe('what Bedrock refuses is refused with its own error', () => {
  it.each<[string, Partial<ConverseCommandInput>]>([
    ['no messages', { messages: [] }],
    ['a first message of the model', { messages: [{ role: 'assistant', content: [{ text: 'Hi' }] }, hello] }],
    ['two messages of one role', { messages: [hello, hello] }],
    ['a last message of the model', { messages: [hello, { role: 'assistant', content: [{ text: 'Hi' }] }] }],
    ['a message without content', { messages: [{ role: 'user', content: [] }] }],
    ['a blank text', { messages: [blank] }],
    ['an unanswered call', { messages: [hello, call, hello], toolConfig: { tools } }],
    ['a result of nothing', { messages: [result], toolConfig: { tools } }],
    [
      'a result twice',
      {
        messages: [
          hello,
          call,
          { role: 'user', content: [...(result.content ?? []), ...(result.content ?? [])] },
        ],
        toolConfig: { tools },
      },
    ],
    [
      'a blank text in a result',
      {
        messages: [
          hello,
          call,
          { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: '' }] } }] },
        ],
        toolConfig: { tools },
      },
    ],
    ['a call by the user', { messages: [{ ...call, role: 'user' }], toolConfig: { tools } }],
    [
      'a result by the model',
      { messages: [hello, { ...result, role: 'assistant' }, hello], toolConfig: { tools } },
    ],
    ['tools in the talk but not in the request', { messages: [hello, call, result] }],
    ['one tool twice', { toolConfig: { tools: two } }],
    [
      'a choice of a tool that is not offered',
      { toolConfig: { tools, toolChoice: { tool: { name: 'see' } } } },
    ],
    ['a temperature above 1', { inferenceConfig: { temperature: 2 } }],
    [
      'an image',
      {
        messages: [
          { role: 'user', content: [{ image: { format: 'png', source: { bytes: new Uint8Array(3) } } }] },
        ],
      },
    ],
  ])('%s', async (_, input) => {
    expect(await send(input)).toMatchObject({
      name: 'ValidationException',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('streaming is refused by name', async () => {
    await using running = await startModel(echo);
    const command = new ConverseStreamCommand({ modelId: 'x', messages: [hello] });
    await expect(running.client.send(command)).rejects.toMatchObject({ name: 'UnsupportedOperation' });
  });

  it('a body that is not JSON in UTF-8 is refused', async () => {
    const service = bedrockService({ model: echo });
    const request = { method: 'POST', path: '/model/x/converse', query: new URLSearchParams(), headers: {} };
    for (const body of [new Uint8Array(), new Uint8Array([0x7b, 0xff]), new TextEncoder().encode('[]')]) {
      await expect(service.handle({ ...request, body })).rejects.toMatchObject({
        fault: 'ValidationException',
      });
    }
    const get = service.handle({ ...request, method: 'GET', body: new Uint8Array() });
    await expect(get).rejects.toMatchObject({ fault: 'UnsupportedOperation' });
  });
});
