import type { ContentBlock, Message, ToolResultBlock } from '@aws-sdk/client-bedrock-runtime';

type Turn = Message & { content: ContentBlock[] };

/**
 * A conversation as Bedrock accepts it: it starts with the user, roles alternate, no text is blank, and every tool call
 * is answered in the very next message, its results first. A call that never got a result is answered by an error
 * that the model can read. What the model itself said is never changed.
 */
export function wellFormed(messages: readonly Message[]): Message[] {
  return answered(messages.reduce(joined, []));
}

/** The turns so far with one message more: joined to the last turn if the role is the same, left out if nothing of it is left. */
function joined(turns: Turn[], message: Message): Turn[] {
  const last = turns.at(-1);
  if (last === undefined && message.role !== 'user') return turns;
  const open = message.role === 'user' ? openCalls(turns) : [];
  const content = contentOf(message).flatMap((block) => kept(block, open));
  if (content.length === 0) return turns;
  if (last === undefined || last.role !== message.role) return [...turns, { ...message, content }];
  return [...turns.slice(0, -1), { ...last, content: [...last.content, ...content] }];
}

const contentOf = (message: Message | undefined): readonly ContentBlock[] => message?.content ?? [];

/** The calls of the last assistant turn that nothing has answered yet. */
function openCalls(turns: readonly Turn[]): string[] {
  const calls = callsOf(turns.findLast(({ role }) => role === 'assistant'));
  const last = turns.at(-1);
  const given = last?.role === 'user' ? contentOf(last).map((block) => block.toolResult?.toolUseId) : [];
  return calls.filter((id) => !given.includes(id));
}

function callsOf(message: Message | undefined): string[] {
  return [...new Set(contentOf(message).flatMap((block) => block.toolUse?.toolUseId ?? []))];
}

/** A block as it may stay: no blank text, and a result only as the first one to a call that is open. */
function kept(block: ContentBlock, open: string[]): ContentBlock[] {
  if (block.text !== undefined) return block.text.trim() === '' ? [] : [block];
  if (block.toolResult === undefined) return [block];
  const position = open.indexOf(block.toolResult.toolUseId ?? '');
  if (position < 0) return [];
  open.splice(position, 1);
  return [{ toolResult: withWords(block.toolResult) }];
}

/** A tool that said nothing still has answered: Bedrock wants words. */
function withWords(result: ToolResultBlock): ToolResultBlock {
  const content = (result.content ?? []).filter(({ text }) => text === undefined || text.trim() !== '');
  return { ...result, content: content.length > 0 ? content : [{ text: '(no output)' }] };
}

function answered(turns: readonly Turn[]): Turn[] {
  return turns.flatMap((turn, index) => {
    if (turn.role === 'user') return [withAnswers(turn, callsOf(turns[index - 1]))];
    const calls = callsOf(turn);
    const isOpen = index === turns.length - 1 && calls.length > 0;
    return isOpen ? [turn, withAnswers({ role: 'user', content: [] }, calls)] : [turn];
  });
}

function withAnswers(turn: Turn, calls: readonly string[]): Turn {
  const results = turn.content.filter((block) => block.toolResult !== undefined);
  const given = results.map((block) => block.toolResult?.toolUseId);
  const missing = calls.filter((id) => !given.includes(id)).map((id) => ({ toolResult: unanswered(id) }));
  const others = turn.content.filter((block) => block.toolResult === undefined);
  return { ...turn, content: [...results, ...missing, ...others] };
}

function unanswered(toolUseId: string): ToolResultBlock {
  const text = 'This call was interrupted and has no result. Repeat it only if the result is still needed.';
  return { toolUseId, status: 'error', content: [{ text }] };
}
