import type { ContentBlock, Message } from '@aws-sdk/client-bedrock-runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConversation } from '../../lib/local/endpoints/bedrock-conversation.ts';
import type { ConverseBody } from '../../lib/local/endpoints/bedrock-request.ts';
import { wellFormed } from '../../lib/model/transcript.ts';

const text = (words: string): ContentBlock => ({ text: words });
const use = (toolUseId: string): ContentBlock => ({ toolUse: { toolUseId, name: 'look', input: {} } });
const result = (toolUseId: string, words = 'seen'): ContentBlock => ({
  toolResult: { toolUseId, content: [{ text: words }] },
});
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });

const asBody = (messages: Message[]) =>
  ({ messages, toolConfig: { tools: [{ toolSpec: { name: 'look' } }] } }) as unknown as ConverseBody;

describe('a conversation that Bedrock accepts', () => {
  it('is left as it is', () => {
    const messages = [user(text('Hello')), assistant(use('a'), use('b')), user(result('a'), result('b'))];
    expect(wellFormed(messages)).toEqual(messages);
  });
});

describe('a conversation that Bedrock would refuse', () => {
  it('gets an error for a call that was never answered', () => {
    const repaired = wellFormed([user(text('Go')), assistant(use('a')), user(text('Any news?'))]);
    expect(repaired[2]?.content?.[0]?.toolResult).toMatchObject({ toolUseId: 'a', status: 'error' });
    expect(repaired[2]?.content?.[1]).toEqual(text('Any news?'));
  });

  it('gets a last message when it ends with an open call', () => {
    const repaired = wellFormed([user(text('Go')), assistant(use('a'))]);
    expect(repaired).toHaveLength(3);
    expect(repaired[2]?.role).toBe('user');
  });

  it('has messages of one role joined, results first', () => {
    const repaired = wellFormed([
      user(text('Go')),
      assistant(use('a')),
      user(text('so?')),
      user(result('a')),
    ]);
    expect(repaired[2]?.content).toEqual([result('a'), text('so?')]);
  });

  it('loses blank texts, and messages that held nothing else', () => {
    const repaired = wellFormed([user(text('Go')), assistant(text(' \n')), user(text('Well?'), text(''))]);
    expect(repaired).toEqual([user(text('Go'), text('Well?'))]);
  });

  it('has words put into a result that has none', () => {
    const repaired = wellFormed([user(text('Go')), assistant(use('a')), user(result('a', ' '))]);
    expect(repaired[2]?.content?.[0]?.toolResult?.content).toEqual([{ text: '(no output)' }]);
  });

  it('loses results that answer nothing, and all but the first of several to one call', () => {
    const repaired = wellFormed([
      user(text('Go'), result('stray')),
      assistant(use('a')),
      user(result('a', 'first'), result('a', 'again'), result('stray')),
    ]);
    expect(repaired[0]?.content).toEqual([text('Go')]);
    expect(repaired[2]?.content).toEqual([result('a', 'first')]);
  });

  it('loses what the model said before anybody asked', () => {
    expect(wellFormed([assistant(text('Hello')), user(text('Hi'))])).toEqual([user(text('Hi'))]);
  });
});

const ids = fc.constantFrom('a', 'b', 'c');
const block = fc.oneof(
  fc.constantFrom(text('words'), text(' '), text('')),
  ids.map((id) => result(id)),
);
const modelBlock = fc.constantFrom(text('words'), text(''), use('a'), use('b'), use('c'));
const message = fc.oneof(
  fc.array(block, { maxLength: 4 }).map((content) => user(...content)),
  // No two calls of one id in a message: a model never writes that, and nothing could answer it.
  fc.uniqueArray(modelBlock, { maxLength: 4 }).map((content) => assistant(...content)),
);

describe('for every conversation', () => {
  it('what comes out satisfies the rules of the service, if the user has the last word', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const repaired = wellFormed([user(text('Go')), ...messages.slice(0, -1), user(text('Well?'))]);
        expect(() => checkConversation(asBody(repaired))).not.toThrow();
      }),
    );
  });

  it('doing it twice changes nothing, and no word or call of the model is lost or changed', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const conversation = [user(text('Go')), ...messages];
        const once = wellFormed(conversation);
        expect(wellFormed(once)).toEqual(once);
        const said = (list: readonly Message[]) =>
          list.flatMap(({ role, content }) =>
            role === 'assistant' ? (content ?? []).filter((part) => part.text?.trim() !== '') : [],
          );
        expect(said(once)).toEqual(said(conversation));
      }),
    );
  });
});
