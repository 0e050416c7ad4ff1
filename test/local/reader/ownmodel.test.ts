import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryModel } from '../../../lib/cli/doctor/model.ts';
import { bedrockService } from '../../../lib/local/endpoints/bedrock.ts';
import { ServiceFault } from '../../../lib/local/endpoints/fault.ts';
import { startEndpoint } from '../../../lib/local/endpoints/server.ts';
import { type BedrockBridgeOptions, bedrockBridge } from '../../../lib/local/reader/bridge-bedrock.ts';
import { isModelNamed, type OwnModel, ownModel } from '../../../lib/local/reader/ownmodel.ts';
import {
  besideOfflineReader,
  offlineReaderId,
  settingsWithOfflineReader,
} from '../../../lib/local/reader/steppingin.ts';
import { forceToolUse } from '../../../lib/model/converse.ts';
import { modelSettings } from '../../../lib/model/models.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { startModel } from '../../support/model.ts';

const picture = Buffer.from([137, 80, 78, 71]);
const request = {
  modelId: 'nova',
  messages: [
    {
      role: 'user' as const,
      content: [
        // On the wire, as the endpoint hands it over.
        { image: { format: 'png' as const, source: { bytes: picture.toString('base64') as never } } },
        { text: 'A letter.' },
      ],
    },
  ],
};
const answered = (content: unknown, stopReason = 'tool_use') => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  metrics: { latencyMs: 7 },
});

/** What stands for Bedrock on loopback: it keeps what it was asked, and answers as it is told. */
async function bedrock(status: number, body: unknown, headers: Record<string, string> = {}) {
  const asked: { path: string; authorization: string; body: unknown }[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const { authorization = '' } = incoming.headers;
    asked.push({ path: incoming.url ?? '', authorization, body: JSON.parse(text) });
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const bridge = (endpoint: string, keys: BedrockBridgeOptions['keys'] = { token: 'secret-token' }) =>
  bedrockBridge({ model: 'eu.amazon.nova-2-lite-v1:0', region: 'eu-west-1', keys, endpoint });

describe('a model of Bedrock', () => {
  it('is asked with the household’s token, by its own id, and with pictures as they are', async () => {
    const { asked, endpoint } = await bedrock(
      200,
      answered([{ text: 'A letter from a clinic.' }], 'end_turn'),
    );
    expect(await bridge(endpoint)(request, 'any')).toMatchObject({
      output: { message: { role: 'assistant', content: [{ text: 'A letter from a clinic.' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 2 },
    });
    expect(asked).toMatchObject([
      { path: '/model/eu.amazon.nova-2-lite-v1%3A0/converse', authorization: 'Bearer secret-token' },
    ]);
    expect(JSON.stringify(asked[0]?.body)).toContain(`"bytes":"${picture.toString('base64')}"`);
  });

  it('is asked with a signature for Bedrock in its region where access keys are given', async () => {
    const { asked, endpoint } = await bedrock(200, answered([{ text: 'x' }]));
    await bridge(endpoint, { accessKeyId: 'AKIDHOUSEHOLD', secretAccessKey: 'key' })(request, 'any');
    expect(asked[0]?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDHOUSEHOLD\/\d{8}\/eu-west-1\/bedrock\/aws4_request, /,
    );
  });

  it('gets a signature that holds, and with another secret is refused', async () => {
    const credentials = { accessKeyId: 'AKIDHOUSEHOLD', secretAccessKey: 'the household’s' };
    const service = bedrockService({ model: async () => answered([{ text: 'read' }], 'end_turn') as never });
    const { url, close } = await startEndpoint(service, { credentials, clock: systemClock });
    onTestFinished(close);
    const words = {
      modelId: 'nova',
      messages: [{ role: 'user' as const, content: [{ text: 'A letter.' }] }],
    };
    expect(await bridge(url, credentials)(words, 'any')).toMatchObject({ stopReason: 'end_turn' });
    const wrong = bridge(url, { ...credentials, secretAccessKey: 'another' })(words, 'any');
    await expect(wrong).rejects.toMatchObject({ status: 403 });
  });

  it.each([
    [403, 'AccessDeniedException'],
    [429, 'ThrottlingException'],
    [503, 'ServiceUnavailableException'],
  ])('refuses with status %i as %s and repeats none of its words', async (status, fault) => {
    const { endpoint } = await bedrock(status, { message: 'secret words' }, { 'x-amzn-errortype': fault });
    const failed = await bridge(endpoint)(request, 'any').catch((error: unknown) => error);
    expect(failed).toMatchObject({ status, fault });
    expect((failed as Error).message).not.toContain('secret');
  });

  it('that takes too long is slow', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const options = { model: 'x', region: 'eu-west-1', keys: { token: 't' }, endpoint, timeout: 50 };
    await expect(bedrockBridge(options)(request, 'any')).rejects.toMatchObject({
      status: 408,
      fault: 'ModelTimeoutException',
    });
  });

  it('that nothing answers for is away', async () => {
    await expect(bridge('http://127.0.0.1:9')(request, 'any')).rejects.toMatchObject({ status: 503 });
  });
});

describe('the setting of a model', () => {
  const keys = { CAREGATE_BEDROCK_REGION: 'eu-west-1', CAREGATE_BEDROCK_TOKEN: 't' };

  it('names none, a server, or one of Bedrock', () => {
    expect(ownModel({})).toBeUndefined();
    expect([isModelNamed({}), isModelNamed({ CAREGATE_BEDROCK_MODEL: 'x' })]).toEqual([false, true]);
    expect(
      ownModel({ CAREGATE_MODEL_URL: 'http://127.0.0.1:11434', CAREGATE_MODEL_NAME: 'qwen' }),
    ).toMatchObject({
      id: 'qwen',
      where: 'http://127.0.0.1:11434',
    });
    const nova = { CAREGATE_BEDROCK_MODEL: 'amazon.nova-lite-v1:0' };
    for (const given of [
      { ...nova, ...keys },
      { ...nova, CAREGATE_BEDROCK_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 't' },
      {
        ...nova,
        CAREGATE_BEDROCK_REGION: 'eu-west-1',
        CAREGATE_BEDROCK_ACCESS_KEY_ID: 'A',
        CAREGATE_BEDROCK_SECRET_ACCESS_KEY: 's',
        CAREGATE_BEDROCK_SESSION_TOKEN: 'u',
      },
    ]) {
      expect(ownModel(given)).toMatchObject({ id: 'amazon.nova-lite-v1:0', where: 'Bedrock in eu-west-1' });
    }
  });

  it.each([
    { CAREGATE_BEDROCK_MODEL: 'nova' },
    { CAREGATE_BEDROCK_MODEL: 'nova', CAREGATE_BEDROCK_REGION: 'eu-west-1' },
    { CAREGATE_BEDROCK_MODEL: 'nova', CAREGATE_BEDROCK_REGION: 'evil.example/', CAREGATE_BEDROCK_TOKEN: 't' },
    { CAREGATE_BEDROCK_MODEL: 'no va', ...keys },
    { CAREGATE_BEDROCK_MODEL: 'nova', ...keys, CAREGATE_MODEL_URL: 'http://127.0.0.1:1' },
    { CAREGATE_MODEL_URL: 'file:///x' },
  ])('that is wrong is refused: %j', async (settings) => {
    await expect((async () => ownModel(settings))()).toFailWithCode('CONFIGURATION_INVALID');
  });
});

describe('the offline reader', () => {
  const own = (ask: OwnModel['ask']): OwnModel => ({
    id: 'qwen',
    where: 'home',
    ask,
    look: async () => undefined,
  });
  const tool = { name: 'look', description: 'Look.', inputSchema: { json: { type: 'object' } } };
  const classify = { ...tool, name: 'classify_mail' };
  const fault = (status: number, name: string) => async () => {
    throw new ServiceFault(status, name, 'the model is not there');
  };

  async function askBeside(ask: OwnModel['ask']) {
    const told: string[] = [];
    const troubles = {
      report: (id: string, detail?: string) => told.push(`${id} ${detail}`),
      clear: (...ids: string[]) => told.push(`over ${ids.join(' ')}`),
    };
    await using running = await startModel(besideOfflineReader(own(ask), troubles));
    const model = modelSettings(settingsWithOfflineReader({ id: 'qwen' }));
    const materials = {
      today: '2027-03-01',
      locale: 'en-GB',
      category: null,
      circle: { patient: 'Ada Example', contacts: [], folders: [], calendars: [] },
      documents: [],
      facts: [],
      actions: [],
      denied: null,
    };
    const messages = [{ role: 'user' as const, content: [{ text: JSON.stringify(materials) }] }];
    const use = await forceToolUse(running.client, { model, system: 'Work.', messages, tools: [classify] });
    return { told, use };
  }

  it('is not asked while the household’s model answers', async () => {
    const { told, use } = await askBeside(
      async () =>
        answered([
          { toolUse: { toolUseId: 'a', name: 'classify_mail', input: { category: 'own' } } },
        ]) as never,
    );
    expect(use).toMatchObject({ model: 'qwen', input: { category: 'own' } });
    expect(told).toEqual(['over model-unreachable model-refuses model-slow']);
  });

  it.each([
    [503, 'ServiceUnavailableException', 'model-unreachable'],
    [429, 'ThrottlingException', 'model-unreachable'],
    [408, 'ModelTimeoutException', 'model-slow'],
    [403, 'AccessDeniedException', 'model-refuses'],
    [404, 'ResourceNotFoundException', 'model-refuses'],
  ])(
    'steps in for a model that fails with %i %s, is named by what is recorded, and it is told',
    async (status, name, trouble) => {
      const { told, use } = await askBeside(fault(status, name));
      expect(use).toMatchObject({ tool: 'classify_mail', model: offlineReaderId });
      expect(told).toEqual([`${trouble} ${name}`]);
    },
  );

  it('does not step in for a request that the model finds wrong', async () => {
    await expect(askBeside(fault(400, 'ValidationException'))).toFailWithCode('MODEL_UNAVAILABLE');
  });
});

describe('the test call of doctor', () => {
  it('says once what is wrong, however often it was found', async () => {
    const own = ownModel({ CAREGATE_MODEL_URL: 'http://127.0.0.1:9', CAREGATE_MODEL_NAME: 'qwen' });
    const { says } = await tryModel(own as OwnModel, systemClock);
    expect(says.match(/cannot be reached/g)).toHaveLength(1);
  });

  const use = (name: string, input: unknown) => ({ toolUse: { toolUseId: 'a', name, input } });
  const tried = (content: unknown, stop?: string) =>
    tryModel(
      {
        id: 'qwen',
        where: 'home',
        ask: async () => answered(content, stop) as never,
        look: async () => undefined,
      },
      systemClock,
    );

  it.each([
    ['the right day', [use('record_day', { day: '2027-06-14' })], 'ok'],
    ['another day', [use('record_day', { day: '2027-06-15' })], 'note'],
    ['words', [{ text: 'On 14 June.' }], 'wrong'],
    ['no day', [use('record_day', 'garbage')], 'wrong'],
    ['another tool', [use('send_email', { day: '2027-06-14' })], 'wrong'],
    ['the tool twice', [use('record_day', { day: '2027-06-14' }), use('record_day', {})], 'wrong'],
  ])('that is answered with %s', async (_, content, health) => {
    const finding = await tried(content);
    expect(finding.health).toBe(health);
    expect(finding.says).toMatch(/^qwen at home answered in \d+ ms, /);
  });

  it('says what a look at the server found, where it does not answer', async () => {
    const ask = async () => {
      throw new ServiceFault(404, 'ResourceNotFoundException', 'the server says no');
    };
    const look = async () => 'the server does not name this model';
    const finding = await tryModel({ id: 'qwen', where: 'home', ask, look }, systemClock);
    expect(finding).toEqual({
      health: 'wrong',
      says: 'qwen at home: the server says no (ResourceNotFoundException); the server does not name this model; the offline reader steps in',
    });
  });
});
