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

const ownSchema = z.strictObject({
  id: z.string().min(1).max(2048).regex(/^\S+$/),
  family: z.enum(modelFamilies),
  choice: z.enum(toolChoices),
  /** Whether the model accepts a temperature; those that do are asked for 0. */
  temperature: z.boolean(),
  /** The longest answer, in tokens. */
  longestAnswer: z.int().positive().max(32_000),
  /** What else this model is sent, such as how long it may think: Converse's `additionalModelRequestFields`. */
  parameters: z.record(z.string(), z.json()).optional(),
  /** That a model which cannot be forced is meant: a deployment refuses one that only happens to be configured. */
  unforced: z.boolean().optional(),
});

const settingsSchema = ownSchema.extend({
  /** The model that is asked when this one is throttled or away; never when it answered badly. */
  fallback: ownSchema.optional(),
});

/** One configured model and what it can do. Capabilities belong to a model, not to a vendor. */
export type ModelSettings = Readonly<z.infer<typeof settingsSchema>>;

/** Whether a model answers in prose when it likes, and nobody said that this is meant. */
export function cannotBeForced({ choice, unforced }: Pick<ModelSettings, 'choice' | 'unforced'>): boolean {
  return choice === 'auto' && unforced !== true;
}

interface Known {
  readonly pattern: RegExp;
  readonly settings: Pick<ModelSettings, 'family' | 'choice' | 'temperature'>;
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
 * that differs from what is known of that id; `fallback` is another model in either form.
 * @throws CaregateError `CONFIGURATION_INVALID` for anything else
 */
export function modelSettings(text: string): ModelSettings {
  const written = completed(text.trim().startsWith('{') ? parseObject(text) : text.trim());
  const { fallback } = written;
  const result = settingsSchema.safeParse(
    fallback === undefined ? written : { ...written, fallback: completed(fallback) },
  );
  if (!result.success) {
    const [issue] = result.error.issues;
    throw invalid(`has a bad \`${issue?.path.join('.') || 'key'}\``);
  }
  const { data } = result;
  // Tools are described in the words of one family; the other model is sent the very same request.
  if (data.fallback !== undefined && data.fallback.family !== data.family) {
    throw invalid('has a `fallback` of another family');
  }
  return data;
}

/** What is written of a model, and what is known of its id where nothing is written. */
function completed(given: unknown): Record<string, unknown> {
  const written = typeof given === 'object' && given !== null ? { ...given } : { id: given };
  const id = 'id' in written && typeof written.id === 'string' ? written.id : '';
  const found = known.find(({ pattern }) => pattern.test(id))?.settings ?? unknownModel;
  return { ...found, longestAnswer: 2000, ...written };
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
