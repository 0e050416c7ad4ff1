import type { BedrockRuntimeClient, ToolSpecification } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import type { Evidence } from '../evidence/types.ts';
import type { Standing } from '../mail/standing.ts';
import { ask } from '../model/attempts.ts';
import { rendered } from '../model/dialect.ts';
import type { ModelFamily, ModelSettings } from '../model/models.ts';
import type { Usage } from '../model/usage.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import { type Category, categories } from './catalogue.ts';
import { materialsText } from './materials.ts';
import { triagePrompt } from './prompt.ts';

export interface TriageOptions {
  readonly client: BedrockRuntimeClient;
  readonly model: ModelSettings;
  readonly evidence: Evidence;
  readonly circle: Circle;
  readonly standing: Standing;
  readonly clock: Clock;
  /** How many calls of the model the mail may still make. */
  readonly callsLeft?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Triage {
  readonly category: Category;
  readonly attempts: number;
  readonly usage: Usage;
  readonly model: string;
}

/** The name of the one tool that triage offers. */
export const triageTool = 'classify_mail';

/** How often a stage asks a model before it gives up and a person is asked. */
export const attemptsPerStage = 2;

const answerSchema = z.strictObject({ category: z.enum(categories) });

/** The tool of triage in the dialect of a model's family. */
export function triageSpecification(family: ModelFamily): ToolSpecification {
  const schema = {
    type: 'object',
    properties: {
      category: { type: 'string', enum: [...categories], description: 'what the mail is about' },
    },
    required: ['category'],
    additionalProperties: false,
  };
  return {
    name: triageTool,
    description: 'Say what the mail is about.',
    inputSchema: { json: rendered(schema, family) },
  };
}

/**
 * Asks a model what a mail is about, at most twice.
 * @throws ModelFailure one of the four failures of an answer after two attempts, `MODEL_UNAVAILABLE`,
 *   `MODEL_CALLS_SPENT`
 */
export async function triage(options: TriageOptions): Promise<Triage> {
  const { client, model, circle, clock, signal, callsLeft = attemptsPerStage } = options;
  const answer = await ask({
    client,
    model,
    system: triagePrompt(circle, clock),
    input: (failed) => materialsText({ ...options, failed }),
    tools: [triageSpecification(model.family)],
    parse: parseCategory,
    attempts: Math.min(attemptsPerStage, callsLeft),
    signal,
  });
  const { value, ...rest } = answer;
  return { category: value, ...rest };
}

function parseCategory(_tool: string, input: unknown): Category {
  const result = answerSchema.safeParse(input);
  if (result.success) return result.data.category;
  const message = 'the `input` of the triage names no category; ask the model again';
  throw new CaregateError('MODEL_INVALID_ARGUMENTS', message, { cause: result.error });
}
