import type { Stack } from 'aws-cdk-lib';

/** A model as the deployment names it: its id or its inference profile's, and where that may have it run. */
export interface NamedModel {
  readonly id: string;
  readonly regions?: readonly string[] | undefined;
}

/** Where one model is asked: what a call names, and what that leads to. */
export interface ModelAccess {
  readonly entry: string;
  /** The foundation model behind a profile, in each of its regions. They are asked through the profile alone. */
  readonly behind: readonly string[];
}

// The areas that AWS puts before a model's id to name one of its own inference profiles.
const profilePrefix = /^(us|us-gov|eu|apac|jp|au|ca|global)\.(?=[a-z0-9-]+\.)/;

/** What asking a configured model takes: a profile needs the right to itself, and to the model in each of its regions. */
export function modelAccess(stack: Stack, { id, regions = [] }: NamedModel): ModelAccess {
  const foundation = (region: string, model: string): string =>
    `arn:${stack.partition}:bedrock:${region}::foundation-model/${model}`;
  if (id.startsWith('arn:')) {
    const behind = id.includes('inference-profile/') ? regions.map((region) => foundation(region, '*')) : [];
    return { entry: id, behind };
  }
  const [, area] = profilePrefix.exec(id) ?? [];
  if (area === undefined) return { entry: foundation(stack.region, id), behind: [] };
  const model = id.replace(profilePrefix, '');
  const everywhere = area === 'global' ? [foundation('', model)] : [];
  return {
    entry: stack.formatArn({ service: 'bedrock', resource: 'inference-profile', resourceName: id }),
    behind: [...everywhere, ...regions.map((region) => foundation(region, model))],
  };
}
