import * as z from 'zod';
import { CaregateError } from '../errors.ts';

/** How a model reads tool schemas. `other` is every model that takes plain JSON Schema. */
export const modelFamilies = ['nova', 'claude', 'other'] as const;
export type ModelFamily = (typeof modelFamilies)[number];

/**
 * How a model can be made to use a tool: `tool` names the only one that is offered, `any` demands one of those that
 * are offered, `auto` demands nothing, so that only the prompt and the typed errors ask for it.
 */
export const toolChoices = ['tool', 'any', 'auto'] as const;
export type ToolChoiceSupport = (typeof toolChoices)[number];

const settingsSchema = z.strictObject({
  id: z.string().min(1).max(2048).regex(/^\S+$/),
  family: z.enum(modelFamilies),
  choice: z.enum(toolChoices),
  /** Whether the model accepts a temperature; those that do are asked for 0. */
  temperature: z.boolean(),
  /** The longest answer, in tokens. */
  longestAnswer: z.int().positive().max(32_000),
});

/** One configured model and what it can do. Capabilities belong to a model, not to a vendor. */
export type ModelSettings = Readonly<z.infer<typeof settingsSchema>>;

interface Known {
  readonly pattern: RegExp;
  readonly settings: Omit<ModelSettings, 'id' | 'longestAnswer'>;
}

// The first match holds. Nova refuses a choice by name and takes `any`; from Claude Haiku 5.5 on a temperature is refused.
const known: readonly Known[] = [
  { pattern: /amazon\.nova/, settings: { family: 'nova', choice: 'any', temperature: true } },
  { pattern: /claude-[a-z]+-[5-9]/, settings: { family: 'claude', choice: 'tool', temperature: false } },
  { pattern: /anthropic\.claude/, settings: { family: 'claude', choice: 'tool', temperature: true } },
];

const unknownModel: Known['settings'] = { family: 'other', choice: 'any', temperature: true };

/**
 * Reads a configured model: the id of a model or inference profile, or a JSON object with an `id` and any capability
 * that differs from what is known of that id.
 * @throws CaregateError `CONFIGURATION_INVALID` for anything else
 */
export function modelSettings(text: string): ModelSettings {
  const written = text.trim().startsWith('{') ? parseObject(text) : { id: text.trim() };
  const id = typeof written.id === 'string' ? written.id : '';
  const found = known.find(({ pattern }) => pattern.test(id))?.settings ?? unknownModel;
  const result = settingsSchema.safeParse({ ...found, longestAnswer: 2000, ...written });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(`has a bad \`${issue?.path.join('.') || 'key'}\``);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (cause) {
    throw invalid('is not a JSON object', cause);
  }
}

function invalid(what: string, cause?: unknown): CaregateError {
  return new CaregateError(
    'CONFIGURATION_INVALID',
    `the configured \`model\` ${what}; give a model id, or an object such as {"id":"…","choice":"auto"}`,
    { cause },
  );
}
