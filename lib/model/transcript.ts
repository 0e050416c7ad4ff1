import type { ContentBlock, Message, ToolResultBlock } from '@aws-sdk/client-bedrock-runtime';

/**
 * A conversation as Bedrock accepts it: it starts with the user, roles alternate, no text is blank, and every tool call
 * is answered in the very next message, its results first. A call that never got a result is answered by an error
 * that the model can read. What the model itself said is never changed.
 */
export function wellFormed(messages: readonly Message[]): Message[] {
  const turns = alternating(messages.map(withoutBlanks).filter((message) => contentOf(message).length > 0));
  const answered: Message[] = [];
  for (const [index, turn] of turns.entries()) {
    const asked = turn.role === 'user' ? callsOf(turns[index - 1]) : [];
    if (turn.role === 'user') answered.push({ ...turn, content: answersFirst(contentOf(turn), asked) });
    else answered.push(turn);
    const isLast = index === turns.length - 1;
    if (turn.role === 'assistant' && isLast && callsOf(turn).length > 0) {
      answered.push({ role: 'user', content: answersFirst([], callsOf(turn)) });
    }
  }
  return answered.filter((message) => contentOf(message).length > 0);
}

const contentOf = (message: Message | undefined): readonly ContentBlock[] => message?.content ?? [];

function withoutBlanks(message: Message): Message {
  return {
    ...message,
    content: contentOf(message)
      .filter((block) => !isBlank(block))
      .map(filled),
  };
}

function isBlank(block: ContentBlock): boolean {
  return block.text !== undefined && block.text.trim() === '';
}

/** A tool that said nothing still has answered: Bedrock wants words. */
function filled(block: ContentBlock): ContentBlock {
  if (block.toolResult === undefined) return block;
  const content = (block.toolResult.content ?? []).filter(
    (part) => part.text === undefined || part.text.trim() !== '',
  );
  return {
    toolResult: { ...block.toolResult, content: content.length > 0 ? content : [{ text: '(no output)' }] },
  };
}

function alternating(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const previous = turns.at(-1);
    if (previous === undefined && message.role !== 'user') continue;
    if (previous !== undefined && previous.role === message.role) {
      turns[turns.length - 1] = { ...previous, content: [...contentOf(previous), ...contentOf(message)] };
    } else {
      turns.push(message);
    }
  }
  return turns;
}

function callsOf(message: Message | undefined): string[] {
  if (message?.role !== 'assistant') return [];
  return contentOf(message).flatMap((block) => block.toolUse?.toolUseId ?? []);
}

/** The first result of each call that was asked for, an error where there is none, then everything else. */
function answersFirst(content: readonly ContentBlock[], asked: readonly string[]): ContentBlock[] {
  const results = asked.map((id) => {
    const given = content.find((block) => block.toolResult?.toolUseId === id)?.toolResult;
    return { toolResult: given ?? unanswered(id) };
  });
  return [...results, ...content.filter((block) => block.toolResult === undefined)];
}

function unanswered(toolUseId: string): ToolResultBlock {
  const text = 'This call was interrupted and has no result. Repeat it only if the result is still needed.';
  return { toolUseId, status: 'error', content: [{ text }] };
}
