import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../support/script.ts';

const request = (text: string): ConverseRequest => ({
  modelId: 'x',
  messages: [{ role: 'user', content: [{ text }] }],
});
const blocks = async (model: ReturnType<typeof scriptedModel>, text: string) =>
  (await model(request(text), 'x')).output?.message?.content;

describe('a scripted model', () => {
  it('plays its steps in order, keeps what it was asked, and says nothing more at the end', async () => {
    const model = scriptedModel([
      { does: 'use', tool: 'look', input: { n: 1 }, text: 'I look.' },
      { does: 'say-nothing' },
    ]);
    expect(await blocks(model, 'one')).toEqual([
      { text: 'I look.' },
      { toolUse: { toolUseId: 'use-1', name: 'look', input: { n: 1 } } },
    ]);
    expect(await blocks(model, 'two')).toEqual([]);
    expect(await blocks(model, 'three')).toEqual([{ text: 'The script is over.' }]);
    expect(model.requests.map(({ messages }) => messages?.[0]?.content?.[0]?.text)).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  it('can decide from the request', async () => {
    const model = scriptedModel([
      { does: 'decide', use: ({ messages }) => ({ tool: 'echo', input: messages?.[0]?.content?.[0]?.text }) },
    ]);
    expect(await blocks(model, 'hello')).toMatchObject([{ toolUse: { name: 'echo', input: 'hello' } }]);
  });

  it('can refuse as AWS does', async () => {
    const model = scriptedModel([{ does: 'refuse', status: 429, fault: 'ThrottlingException' }]);
    await expect(model(request('x'), 'x')).rejects.toMatchObject({
      status: 429,
      fault: 'ThrottlingException',
    });
  });
});
