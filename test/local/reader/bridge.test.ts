import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { openAiBridge } from '../../../lib/local/reader/bridge.ts';
import { forceToolUse } from '../../../lib/model/converse.ts';
import { modelSettings } from '../../../lib/model/models.ts';
import { startModel } from '../../support/model.ts';

type Reply = { readonly status?: number; readonly body?: unknown; readonly hang?: boolean };

/** A server that speaks chat completions on loopback, as llama.cpp and Ollama do, and keeps what it was asked. */
async function chatServer(reply: Reply) {
  const asked: { path: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ path: request.url ?? '', body: await read(request) });
    if (reply.hang === true) return;
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

const request: ConverseRequest = {
  modelId: 'local',
  system: [{ text: 'Work.' }],
  messages: [
    { role: 'user', content: [{ text: 'A letter.' }] },
    {
      role: 'assistant',
      content: [{ text: 'I look.' }, { toolUse: { toolUseId: 'a', name: 'look', input: { n: 1 } } }],
    },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'a', content: [{ text: 'seen' }, { json: { x: 2 } }] } },
        { text: 'Go on.' },
      ],
    },
  ],
  inferenceConfig: { maxTokens: 500, temperature: 0 },
  toolConfig: {
    tools: [{ toolSpec: { name: 'look', description: 'Look.', inputSchema: { json: { type: 'object' } } } }],
    toolChoice: { any: {} },
  },
};

const call = (name: string, written: unknown, id = 'call_1') => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
const message = (tool_calls: unknown, content: unknown = null, finish_reason = 'tool_calls') => ({
  choices: [{ finish_reason, message: { role: 'assistant', content, tool_calls } }],
  usage: { prompt_tokens: 321, completion_tokens: 12, total_tokens: 333 },
  model: 'qwen',
});

async function answerTo(body: unknown) {
  await using server = await chatServer({ body });
  return await openAiBridge({ url: server.url, model: 'qwen' })(request, 'local');
}

describe('a request to a local server', () => {
  it('is the same conversation in the words of chat completions', async () => {
    await using server = await chatServer({ body: message([call('look', '{}')]) });
    await openAiBridge({ url: `${server.url}/`, model: 'qwen' })(request, 'local');
    expect(server.asked).toEqual([
      {
        path: '/v1/chat/completions',
        body: {
          model: 'qwen',
          messages: [
            { role: 'system', content: 'Work.' },
            { role: 'user', content: 'A letter.' },
            {
              role: 'assistant',
              content: 'I look.',
              tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }],
            },
            { role: 'tool', tool_call_id: 'a', content: 'seen\n{"x":2}' },
            { role: 'user', content: 'Go on.' },
          ],
          tools: [
            {
              type: 'function',
              function: { name: 'look', description: 'Look.', parameters: { type: 'object' } },
            },
          ],
          tool_choice: 'required',
          max_tokens: 500,
          temperature: 0,
          stream: false,
        },
      },
    ]);
  });

  it('demands nothing that was not demanded, and leaves out what is not there', async () => {
    await using server = await chatServer({ body: message(undefined, 'Hello', 'stop') });
    const bridge = openAiBridge({ url: `${server.url}/api/v1`, model: 'qwen' });
    await bridge({ modelId: 'local', messages: request.messages?.slice(0, 1) }, 'local');
    expect(server.asked).toEqual([
      {
        path: '/api/v1/chat/completions',
        body: { model: 'qwen', messages: [{ role: 'user', content: 'A letter.' }], stream: false },
      },
    ]);
  });

  it('names the only tool as required, which every server knows', async () => {
    await using server = await chatServer({ body: message([call('look', '{}')]) });
    const { toolConfig } = request;
    const byName = {
      ...request,
      toolConfig: { tools: toolConfig?.tools, toolChoice: { tool: { name: 'look' } } },
    };
    await openAiBridge({ url: server.url, model: 'qwen' })(byName, 'local');
    const open = { ...request, toolConfig: { tools: toolConfig?.tools } };
    await openAiBridge({ url: server.url, model: 'qwen' })(open, 'local');
    expect(server.asked.map(({ body }) => (body as { tool_choice: unknown }).tool_choice)).toEqual([
      'required',
      'auto',
    ]);
  });
});

describe('an answer of a local server', () => {
  it('becomes the tool use that it is, with its tokens', async () => {
    expect(await answerTo(message([call('look', '{"n":[1,"é"]}')], 'Let me see.'))).toMatchObject({
      output: {
        message: {
          role: 'assistant',
          content: [
            { text: 'Let me see.' },
            { toolUse: { toolUseId: 'call_1', name: 'look', input: { n: [1, 'é'] } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 321, outputTokens: 12, totalTokens: 333 },
    });
  });

  it('keeps several calls several', async () => {
    const { output } = await answerTo(message([call('look', '{}'), call('look', '{}', 'call 2')]));
    const ids = output?.message?.content?.map(({ toolUse }) => toolUse?.toolUseId);
    expect(ids).toEqual(['call_1', 'call-1']);
  });

  it('keeps arguments that are no JSON as the text that they are', async () => {
    const { output } = await answerTo(message([call('look', '{"n": 1')]));
    expect(output?.message?.content?.[0]?.toolUse?.input).toBe('{"n": 1');
  });

  it('takes arguments that are an object already, as some servers send them', async () => {
    const { output } = await answerTo(message([call('look', { n: 1 })]));
    expect(output?.message?.content?.[0]?.toolUse?.input).toEqual({ n: 1 });
  });

  it('that was cut off says so', async () => {
    expect(await answerTo(message([call('look', '{}')], null, 'length'))).toMatchObject({
      stopReason: 'max_tokens',
    });
  });

  it('in words only is words only', async () => {
    const response = await answerTo({ choices: [{ message: { content: 'I cannot.' } }] });
    expect(response).toMatchObject({
      output: { message: { content: [{ text: 'I cannot.' }] } },
      stopReason: 'end_turn',
      usage: undefined,
    });
  });
});

describe('a local server that fails', () => {
  it.each([
    [429, 'ThrottlingException'],
    [401, 'AccessDeniedException'],
    [403, 'AccessDeniedException'],
    [404, 'ResourceNotFoundException'],
    [400, 'ValidationException'],
    [500, 'ServiceUnavailableException'],
  ])('with status %i gives the fault that Bedrock would give: %s', async (status, fault) => {
    await using server = await chatServer({ status, body: { error: 'no' } });
    const answer = openAiBridge({ url: server.url, model: 'qwen' })(request, 'local');
    await expect(answer).rejects.toMatchObject({ fault });
  });

  it.each(['not json', '{}', '{"choices":[]}', '{"choices":[{"message":{"tool_calls":[{}]}}]}'])(
    'by answering %j gives an error of the model',
    async (body) => {
      await using server = await chatServer({ body });
      const answer = openAiBridge({ url: server.url, model: 'qwen' })(request, 'local');
      await expect(answer).rejects.toMatchObject({ fault: 'ModelErrorException', status: 424 });
    },
  );

  it('by not listening is unavailable, through the whole path', async () => {
    const server = await chatServer({});
    await server[Symbol.asyncDispose]();
    const bridge = openAiBridge({ url: server.url, model: 'qwen' });
    await expect(bridge(request, 'local')).rejects.toMatchObject({ fault: 'ServiceUnavailableException' });
    await using running = await startModel(bridge);
    const answer = forceToolUse(running.client, {
      model: modelSettings('local'),
      system: 'Work.',
      messages: [{ role: 'user', content: [{ text: 'Go' }] }],
      tools: [{ name: 'look', inputSchema: { json: { type: 'object' } } }],
    });
    await expect(answer).toFailWithCode('MODEL_UNAVAILABLE');
  });

  it('by thinking for too long is a timeout', async () => {
    await using server = await chatServer({ hang: true });
    const bridge = openAiBridge({ url: server.url, model: 'qwen', timeout: 50 });
    await expect(bridge(request, 'local')).rejects.toMatchObject({ fault: 'ModelTimeoutException' });
  });
});

describe('what can be said of a local server', () => {
  it('is which models it serves', async () => {
    await using server = await chatServer({ body: { data: [{ id: 'qwen' }, { id: 'gemma' }, {}, null] } });
    expect(await openAiBridge({ url: server.url, model: 'qwen' }).describe()).toEqual({
      url: `${server.url}/v1`,
      model: 'qwen',
      reachable: true,
      models: ['qwen', 'gemma'],
    });
    expect(await openAiBridge({ url: server.url, model: 'llama' }).describe()).toMatchObject({
      reachable: true,
      problem: 'the server does not name this model',
    });
    expect(server.asked[0]?.path).toBe('/v1/models');
  });

  it('is that it serves something else, or nothing', async () => {
    await using other = await chatServer({ status: 404 });
    expect(await openAiBridge({ url: other.url, model: 'x' }).describe()).toMatchObject({
      reachable: false,
      problem: 'the server answers with status 404',
    });
    await using vague = await chatServer({ body: 'hello' });
    expect(await openAiBridge({ url: vague.url, model: 'x' }).describe()).toMatchObject({
      reachable: true,
      models: [],
    });
    const gone = await chatServer({});
    await gone[Symbol.asyncDispose]();
    const report = await openAiBridge({ url: gone.url, model: 'x' }).describe();
    expect(report).toMatchObject({ reachable: false, problem: expect.stringContaining('cannot be reached') });
  });

  it.each(['', 'localhost:8080', 'ftp://127.0.0.1', 'http://user:secret@127.0.0.1', 'file:///etc/passwd'])(
    'is nothing for the address %j',
    (url) => {
      expect(() => openAiBridge({ url, model: 'x' })).toFailWithCode('CONFIGURATION_INVALID');
    },
  );
});
