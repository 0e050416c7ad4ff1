import type { ToolSpecification } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import { rendered } from '../model/dialect.ts';
import type { ModelFamily } from '../model/models.ts';
import type { Json } from '../provenance/canonical.ts';
import { type ArgumentSpec, catalogue, type ToolName, type ToolSpec, toolNames } from './catalogue.ts';
import { forms } from './forms.ts';

/** What a model emitted: one tool of the catalogue, its input valid for that tool. Its contents are attacker-influenced. */
export interface Proposal {
  readonly tool: ToolName;
  readonly input: Record<string, unknown>;
}

/** The check of each tool's input, made from the catalogue, so that the two cannot differ. */
const inputSchemas: ReadonlyMap<string, z.ZodType<Record<string, unknown>>> = new Map(
  toolNames.map((tool) => [tool, inputSchema(catalogue[tool])]),
);

function inputSchema(spec: ToolSpec): z.ZodType<Record<string, unknown>> {
  const shape = Object.entries(spec.arguments).map(([name, argument]) => {
    const check = forms[argument.form].check(argument);
    return [name, argument.optional === true ? check.optional() : check] as const;
  });
  return z.strictObject(Object.fromEntries(shape));
}

/**
 * Checks what a model wrote against the catalogue. Nothing is repaired and no default is filled in.
 * @throws CaregateError `MODEL_UNKNOWN_TOOL` for a tool that the catalogue does not have,
 *   `MODEL_INVALID_ARGUMENTS` for an input that does not fit its tool
 */
export function parseProposal(tool: string, input: unknown): Proposal {
  const schema = inputSchemas.get(tool);
  if (schema === undefined) {
    throw new CaregateError('MODEL_UNKNOWN_TOOL', 'the `tool` of the proposal is not one of the catalogue');
  }
  const result = schema.safeParse(input);
  if (!result.success) {
    const message = `the \`input\` of the proposal does not fit \`${tool}\`; ask the model again`;
    throw new CaregateError('MODEL_INVALID_ARGUMENTS', message, { cause: result.error });
  }
  return { tool: tool as ToolName, input: result.data };
}

/** The catalogue as Bedrock's tool specifications, in the dialect of JSON Schema that the model's family reads. */
export function toolSpecifications(family: ModelFamily): ToolSpecification[] {
  return toolNames.map((name) => {
    const spec: ToolSpec = catalogue[name];
    return {
      name,
      description: spec.says,
      inputSchema: { json: rendered(objectSchema(spec.arguments), family) },
    };
  });
}

function objectSchema(specs: { readonly [name: string]: ArgumentSpec }): { readonly [key: string]: Json } {
  const entries = Object.entries(specs);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, spec]) => [name, forms[spec.form].describe(spec)])),
    required: entries.filter(([, spec]) => spec.optional !== true).map(([name]) => name),
    additionalProperties: false,
  };
}
