import {
  type BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  type ConverseCommandOutput,
  type Message,
  type ToolChoice,
  type ToolSpecification,
  type ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime';
import { isOutOfReach, ModelFailure } from './failure.ts';
import type { ModelSettings } from './models.ts';
import { wellFormed } from './transcript.ts';
import { type Usage, usageOf } from './usage.ts';

/** What a model is asked. The texts of `messages` are attacker-controlled, `system` and `tools` are ours. */
export interface ForcedRequest {
  readonly model: ModelSettings;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpecification[];
  readonly signal?: AbortSignal | undefined;
}

/** The single tool use of an answer. `input` is whatever the model wrote, not yet checked against a schema. */
export interface ToolUse {
  readonly tool: string;
  readonly input: unknown;
  readonly usage: Usage;
  /** The id of the model that answered. */
  readonly model: string;
}

// A tool use that was cut off or garbled can still look complete, so these are refused whatever the content says.
const brokenStops: ReadonlySet<string> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'malformed_tool_use',
  'malformed_model_output',
]);

/**
 * Asks a model for exactly one use of one of the offered tools. Text and reasoning beside the tool use are ignored;
 * nothing is repaired, defaulted or read out of prose.
 * @throws ModelFailure `MODEL_NO_TOOL_USE`, `MODEL_SEVERAL_TOOL_USES`, `MODEL_UNKNOWN_TOOL`,
 *   `MODEL_INVALID_ARGUMENTS` for a tool use that was cut off, `MODEL_UNAVAILABLE` after the SDK's own retries, and
 *   after the model's fallback where it has one
 */
export async function forceToolUse(client: BedrockRuntimeClient, request: ForcedRequest): Promise<ToolUse> {
  const { fallback } = request.model;
  try {
    return await forceOnce(client, request);
  } catch (error) {
    if (fallback === undefined || !isOutOfReach(error)) throw error;
    return forceOnce(client, { ...request, model: fallback });
  }
}

async function forceOnce(client: BedrockRuntimeClient, request: ForcedRequest): Promise<ToolUse> {
  const response = await send(client, request);
  const usage = usageOf(response);
  const block = singleToolUse(response, usage);
  const tool = block.name ?? '';
  if (!request.tools.some((offered) => offered.name === tool)) {
    throw new ModelFailure('MODEL_UNKNOWN_TOOL', 'the `model` chose a tool that was not offered', { usage });
  }
  return { tool, input: block.input, usage, model: request.model.id };
}

function singleToolUse(response: ConverseCommandOutput, usage: Usage): ToolUseBlock {
  const content = response.output?.message?.content ?? [];
  const uses = content.flatMap((block) => (block.toolUse === undefined ? [] : [block.toolUse]));
  const [only] = uses;
  if (uses.length > 1) {
    throw new ModelFailure('MODEL_SEVERAL_TOOL_USES', 'the `model` used several tools; one was asked for', {
      usage,
    });
  }
  if (brokenStops.has(response.stopReason ?? '')) {
    throw new ModelFailure('MODEL_INVALID_ARGUMENTS', 'the answer of the `model` was cut off or garbled', {
      usage,
    });
  }
  if (only === undefined) {
    throw new ModelFailure('MODEL_NO_TOOL_USE', 'the `model` answered without using a tool', { usage });
  }
  return only;
}

async function send(client: BedrockRuntimeClient, request: ForcedRequest): Promise<ConverseCommandOutput> {
  try {
    return await client.send(new ConverseCommand(commandInput(request)), {
      ...(request.signal === undefined ? {} : { abortSignal: request.signal }),
    });
  } catch (error) {
    throw failureOf(error);
  }
}

function commandInput({ model, system, messages, tools }: ForcedRequest): ConverseCommandInput {
  const choice = choiceFor(model, tools);
  return {
    modelId: model.id,
    system: [{ text: system }],
    messages: wellFormed(messages),
    inferenceConfig: { maxTokens: model.longestAnswer, ...(model.temperature ? { temperature: 0 } : {}) },
    ...(model.parameters === undefined ? {} : { additionalModelRequestFields: model.parameters }),
    toolConfig: {
      tools: tools.map((toolSpec) => ({ toolSpec })),
      ...(choice === undefined ? {} : { toolChoice: choice }),
    },
  };
}

function choiceFor(model: ModelSettings, tools: readonly ToolSpecification[]): ToolChoice | undefined {
  if (model.choice === 'auto') return undefined;
  const [only] = tools;
  if (model.choice === 'tool' && tools.length === 1) return { tool: { name: only?.name } };
  return { any: {} };
}

/** Nova reports a tool use that it could not finish as an error of the model: a bad answer, not an absent model. */
function failureOf(error: unknown): ModelFailure {
  const name = error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'Error';
  if (name === 'ModelErrorException' && error instanceof Error && /tool ?use/i.test(error.message)) {
    return new ModelFailure('MODEL_INVALID_ARGUMENTS', 'the `model` could not finish its tool use', {
      cause: error,
    });
  }
  const message = `the \`model\` gave no answer (${name}); check its id, access and quota`;
  return new ModelFailure('MODEL_UNAVAILABLE', message, { cause: error });
}
