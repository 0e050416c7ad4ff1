import type {
  ContentBlock,
  ConverseRequest,
  ConverseResponse,
  ImageBlock,
  Message,
} from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';

/** A request in the form of OpenAI's chat completions, as far as it is needed here. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
  readonly tool_choice?: unknown;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly stream: false;
}

/** A user's message that shows something is a list of parts. */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ChatPart[] }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly unknown[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** The answer as servers give it; whatever else they add is ignored. */
export const chatResponseSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().nullish(),
                function: z.object({ name: z.string(), arguments: z.union([z.string(), z.unknown()]) }),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});
export type ChatResponse = z.infer<typeof chatResponseSchema>;

/** Converse to chat completions: the same conversation, tools and choice in the other words. */
export function chatRequest(request: ConverseRequest, model: string): ChatRequest {
  const { system, messages, toolConfig, inferenceConfig } = request;
  const tools =
    toolConfig?.tools?.flatMap(({ toolSpec }) => (toolSpec === undefined ? [] : [toolSpec])) ?? [];
  const systemText = (system ?? []).flatMap(({ text }) => text ?? []).join('\n\n');
  return {
    model,
    messages: [
      ...(systemText === '' ? [] : [{ role: 'system' as const, content: systemText }]),
      ...(messages ?? []).flatMap(chatMessages),
    ],
    ...(tools.length > 0 ? { tools: tools.map(chatTool), tool_choice: chatChoice(request) } : {}),
    ...(inferenceConfig?.maxTokens === undefined ? {} : { max_tokens: inferenceConfig.maxTokens }),
    ...(inferenceConfig?.temperature === undefined ? {} : { temperature: inferenceConfig.temperature }),
    stream: false,
  };
}

type ToolSpec = { name?: string | undefined; description?: string | undefined; inputSchema?: unknown };

function chatTool({ name, description, inputSchema }: ToolSpec) {
  const parameters = (inputSchema as { json?: unknown } | undefined)?.json;
  return { type: 'function', function: { name, description, parameters } };
}

/** A choice by name is written as `required`, which more servers know: Converse offers just one tool with it. */
function chatChoice({ toolConfig }: ConverseRequest): 'required' | 'auto' {
  const choice = toolConfig?.toolChoice;
  return choice?.any !== undefined || choice?.tool !== undefined ? 'required' : 'auto';
}

function chatMessages({ role, content = [] }: Message): ChatMessage[] {
  const text = content.flatMap((block) => block.text ?? []).join('\n\n');
  if (role === 'assistant') {
    const calls = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse]));
    const tool_calls = calls.map(({ toolUseId, name, input }) => ({
      id: toolUseId,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
    return [{ role, content: text === '' ? null : text, ...(tool_calls.length > 0 ? { tool_calls } : {}) }];
  }
  const results = content.flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult]));
  const answers = results.map((result): ChatMessage => {
    const parts = (result.content ?? []).map((part) => part.text ?? JSON.stringify(part.json ?? null));
    return { role: 'tool', tool_call_id: result.toolUseId ?? '', content: parts.join('\n') };
  });
  const shown = content.flatMap(({ image }) => (image === undefined ? [] : [chatPicture(image)]));
  if (shown.length > 0) return [...answers, { role: 'user', content: [...shown, { type: 'text', text }] }];
  return text === '' ? answers : [...answers, { role: 'user', content: text }];
}

/** On the wire a picture's bytes are base64 already, whatever the SDK's type says of them. */
function chatPicture({ format, source }: ImageBlock): ChatPart {
  const bytes: unknown = source?.bytes;
  const text =
    typeof bytes === 'string' ? bytes : Buffer.from((bytes as Uint8Array) ?? []).toString('base64');
  return { type: 'image_url', image_url: { url: `data:image/${format};base64,${text}` } };
}

/** Chat completions to Converse. Arguments that are not JSON stay the text that they are: nothing is repaired. */
export function converseResponse(response: ChatResponse): ConverseResponse {
  const [choice] = response.choices;
  const calls = choice?.message.tool_calls ?? [];
  const text = choice?.message.content ?? '';
  const blocks: ContentBlock[] = calls.map((call, index) => ({
    toolUse: {
      toolUseId: toolUseIdOf(call.id, index),
      name: call.function.name,
      input: argumentsOf(call.function.arguments) as Record<string, never>,
    },
  }));
  const { prompt_tokens: input, completion_tokens: output } = response.usage ?? {};
  return {
    output: {
      message: { role: 'assistant', content: [...(text.trim() === '' ? [] : [{ text }]), ...blocks] },
    },
    stopReason: stopReasonOf(choice?.finish_reason, calls.length),
    usage:
      typeof input === 'number' && typeof output === 'number'
        ? { inputTokens: input, outputTokens: output, totalTokens: input + output }
        : undefined,
    metrics: undefined,
  };
}

function toolUseIdOf(id: string | null | undefined, index: number): string {
  return id !== null && id !== undefined && /^[a-zA-Z0-9_.:-]{1,64}$/.test(id) ? id : `call-${index}`;
}

function argumentsOf(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? null;
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function stopReasonOf(
  finish: string | null | undefined,
  calls: number,
): 'max_tokens' | 'tool_use' | 'end_turn' {
  if (finish === 'length') return 'max_tokens';
  return calls > 0 ? 'tool_use' : 'end_turn';
}
