import * as z from 'zod';

const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolUseId = z.string().regex(/^[a-zA-Z0-9_.:-]{1,64}$/);

const contentBlock = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({
    image: z.strictObject({
      format: z.enum(['png', 'jpeg', 'gif', 'webp']),
      /** Base64, as bytes travel in JSON. */
      source: z.strictObject({ bytes: z.base64().min(1) }),
    }),
  }),
  z.strictObject({ toolUse: z.strictObject({ toolUseId, name: toolName, input: z.unknown() }) }),
  z.strictObject({
    toolResult: z.strictObject({
      toolUseId,
      content: z.array(
        z.union([z.strictObject({ text: z.string() }), z.strictObject({ json: z.unknown() })]),
      ),
      status: z.enum(['success', 'error']).optional(),
    }),
  }),
]);

const toolSpec = z.strictObject({
  name: toolName,
  description: z.string().min(1).optional(),
  inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
  strict: z.boolean().optional(),
});

const toolChoice = z.union([
  z.strictObject({ auto: z.strictObject({}) }),
  z.strictObject({ any: z.strictObject({}) }),
  z.strictObject({ tool: z.strictObject({ name: toolName }) }),
]);

/** The part of a Converse request that is served locally: text, images and tools, no documents or guardrails. */
export const converseBodySchema = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(contentBlock).min(1) }))
    .min(1),
  system: z.array(z.strictObject({ text: z.string().min(1) })).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string()).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z.array(z.strictObject({ toolSpec })).min(1),
      toolChoice: toolChoice.optional(),
    })
    .optional(),
  additionalModelRequestFields: z.unknown().optional(),
  requestMetadata: z.record(z.string(), z.string()).optional(),
});

export type ConverseBody = z.infer<typeof converseBodySchema>;
export type ConverseTurn = ConverseBody['messages'][number];
