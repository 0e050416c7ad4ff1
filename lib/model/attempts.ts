import type { BedrockRuntimeClient, ImageBlock, ToolSpecification } from '@aws-sdk/client-bedrock-runtime';
import { CaregateError } from '../errors.ts';
import { forceToolUse } from './converse.ts';
import { isAnswerFailure, ModelFailure, type ModelFailureCode } from './failure.ts';
import type { ModelSettings } from './models.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';

export interface Question<T> {
  readonly client: BedrockRuntimeClient;
  readonly model: ModelSettings;
  readonly system: string;
  /** The user's message; a second attempt is told the code of the first one's failure and nothing else of it. */
  readonly input: (failed: ModelFailureCode | null) => string;
  /** What the model is shown before the text. Attacker-controlled: a picture can hold orders too. */
  readonly pictures?: readonly ImageBlock[] | undefined;
  readonly tools: readonly ToolSpecification[];
  /** Checks what the model wrote, and throws `MODEL_UNKNOWN_TOOL` or `MODEL_INVALID_ARGUMENTS`. */
  readonly parse: (tool: string, input: unknown) => T;
  /** How many times the model may be asked. */
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer<T> {
  readonly value: T;
  readonly attempts: number;
  /** Of all attempts together. */
  readonly usage: Usage;
  readonly model: string;
}

/**
 * Asks until one valid tool use comes back or the attempts are used up.
 * @throws ModelFailure that of the last attempt, with the usage of them all; `MODEL_UNAVAILABLE` at once, since the
 *   SDK has tried again already; `MODEL_CALLS_SPENT` if there is no attempt left to make
 */
export async function ask<T>(question: Question<T>): Promise<Answer<T>> {
  let usage = noUsage;
  let failed: ModelFailure | null = null;
  for (let attempt = 1; attempt <= question.attempts; attempt += 1) {
    try {
      const answer = await askOnce(question, failed?.code ?? null);
      return { ...answer, attempts: attempt, usage: addUsage(usage, answer.usage) };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      usage = addUsage(usage, error.usage);
      failed = new ModelFailure(error.code, error.message, { usage, attempts: attempt, cause: error });
      if (!isAnswerFailure(error.code)) throw failed;
    }
  }
  throw failed ?? new ModelFailure('MODEL_CALLS_SPENT', 'no call of the `model` is left', { attempts: 0 });
}

async function askOnce<T>(question: Question<T>, failed: ModelFailureCode | null): Promise<Answer<T>> {
  const { client, model, system, tools, signal, parse, pictures = [] } = question;
  const content = [...pictures.map((image) => ({ image })), { text: question.input(failed) }];
  const messages = [{ role: 'user' as const, content }];
  const use = await forceToolUse(client, { model, system, tools, signal, messages });
  try {
    return { value: parse(use.tool, use.input), attempts: 1, usage: use.usage, model: use.model };
  } catch (error) {
    if (!(error instanceof CaregateError) || !isAnswerFailure(error.code)) throw error;
    const code = error.code as ModelFailureCode;
    throw new ModelFailure(code, error.message, { usage: use.usage, cause: error });
  }
}
