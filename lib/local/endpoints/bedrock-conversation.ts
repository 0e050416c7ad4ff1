import type { ConverseBody, ConverseTurn } from './bedrock-request.ts';
import { ServiceFault } from './fault.ts';

/**
 * What Bedrock demands of a conversation beyond its form: it starts and ends with the user, roles alternate, no text is
 * blank, each tool call is answered in the next message and nothing else is, and tools are named once.
 * @throws ServiceFault `ValidationException`, as Bedrock does
 */
export function checkConversation(body: ConverseBody): void {
  checkRoles(body.messages);
  body.messages.forEach(checkTexts);
  body.messages.forEach((turn, index) => {
    checkAnswers(turn, body.messages[index - 1]);
  });
  checkTools(body);
}

function checkRoles(turns: readonly ConverseTurn[]): void {
  if (turns[0]?.role !== 'user') throw invalid('the conversation does not start with the role `user`');
  if (turns.some((turn, index) => turn.role === turns[index - 1]?.role)) {
    throw invalid('the roles of the conversation do not alternate between `user` and `assistant`');
  }
  if (turns.at(-1)?.role !== 'user') throw invalid('the conversation does not end with the role `user`');
}

function checkTexts(turn: ConverseTurn, message: number): void {
  const texts = turn.content.flatMap((block) => {
    if ('text' in block) return [block.text];
    if (!('toolResult' in block)) return [];
    return block.toolResult.content.flatMap((part) => ('text' in part ? [part.text] : []));
  });
  if (texts.some((text) => text.trim() === '')) throw invalid(`a text of \`messages.${message}\` is blank`);
}

function checkAnswers(turn: ConverseTurn, before: ConverseTurn | undefined): void {
  const called = new Set(toolUsesOf(before));
  const answered = turn.content.flatMap((block) =>
    'toolResult' in block ? [block.toolResult.toolUseId] : [],
  );
  if (turn.role === 'assistant' && answered.length > 0)
    throw invalid('a `toolResult` stands in an answer of the model');
  if (turn.role === 'user' && toolUsesOf(turn).length > 0)
    throw invalid('a `toolUse` stands in a message of the user');
  if (answered.some((id) => !called.has(id)) || new Set(answered).size < answered.length) {
    throw invalid('a `toolResult` answers no `toolUse` of the message before');
  }
  if (answered.length < called.size) throw invalid('a `toolUse` has no `toolResult` in the next message');
}

function toolUsesOf(turn: ConverseTurn | undefined): string[] {
  return (turn?.content ?? []).flatMap((block) => ('toolUse' in block ? [block.toolUse.toolUseId] : []));
}

function checkTools({ toolConfig, messages }: ConverseBody): void {
  if (toolConfig === undefined) {
    if (messages.some((turn) => turn.content.some((block) => !('text' in block)))) {
      throw invalid('`toolConfig` is missing although the conversation uses tools');
    }
    return;
  }
  const names = toolConfig.tools.map(({ toolSpec }) => toolSpec.name);
  if (new Set(names).size < names.length) throw invalid('`toolConfig` names one tool twice');
  const { toolChoice } = toolConfig;
  if (toolChoice !== undefined && 'tool' in toolChoice && !names.includes(toolChoice.tool.name)) {
    throw invalid('`toolChoice` names a tool that is not in `toolConfig`');
  }
}

function invalid(message: string): ServiceFault {
  return new ServiceFault(400, 'ValidationException', message);
}
