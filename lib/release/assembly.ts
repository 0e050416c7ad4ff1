import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../errors.ts';

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      dependencies: z.array(z.string()).default([]),
      properties: z
        .object({ templateFile: z.string().optional(), stackName: z.string().optional() })
        .optional(),
    }),
  ),
});

const templateSchema = z.looseObject({
  Resources: z
    .record(
      z.string(),
      z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
    )
    .default({}),
});

/** One stack as it was synthesized. */
export interface SynthesizedStack {
  readonly name: string;
  /** The stacks that are deployed before it. */
  readonly dependencies: readonly string[];
  /** What other stacks must have exported before this one can be planned at all. */
  readonly imports: readonly string[];
  /** The domains and addresses that it registers with the mail service. */
  readonly identities: readonly string[];
  /** The types of its resources. */
  readonly types: readonly string[];
}

/**
 * Reads what `cdk synth` wrote.
 * @returns the stacks in the order in which they are deployed
 * @throws CaregateError `CONFIGURATION_INVALID` for a folder that holds no assembly
 */
export function readAssembly(directory: string): SynthesizedStack[] {
  const { artifacts } = readJson(join(directory, 'manifest.json'), manifestSchema);
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const names = new Set(stacks.map(([id]) => id));
  const ordered: string[] = [];
  const visit = (id: string): void => {
    if (!names.has(id) || ordered.includes(id)) return;
    for (const dependency of artifacts[id]?.dependencies ?? []) visit(dependency);
    ordered.push(id);
  };
  for (const [id] of stacks) visit(id);
  const nameOf = (id: string): string => artifacts[id]?.properties?.stackName ?? id;
  return ordered.map((id) => ({
    ...readStack(directory, id, artifacts[id]?.properties ?? {}),
    dependencies: (artifacts[id]?.dependencies ?? []).filter((other) => names.has(other)).map(nameOf),
  }));
}

function readStack(
  directory: string,
  id: string,
  properties: { readonly templateFile?: string | undefined; readonly stackName?: string | undefined },
): Omit<SynthesizedStack, 'dependencies'> {
  const template = readJson(
    join(directory, properties.templateFile ?? `${id}.template.json`),
    templateSchema,
  );
  const resources = Object.values(template.Resources);
  const identities = resources
    .filter(({ Type }) => Type === 'AWS::SES::EmailIdentity')
    .map(({ Properties }) => Properties?.EmailIdentity)
    .filter((identity) => typeof identity === 'string');
  return {
    name: properties.stackName ?? id,
    imports: [...new Set(importsIn(template))].sort(),
    identities,
    types: [...new Set(resources.map(({ Type }) => Type))].sort(),
  };
}

function importsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(importsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'Fn::ImportValue' && typeof inner === 'string' ? [inner] : importsIn(inner),
  );
}

function readJson<T>(file: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `assembly \`${file}\` cannot be read; synthesize it anew with \`npm run deploy:plan\``,
      { cause },
    );
  }
}
