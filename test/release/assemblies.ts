import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/endpoints.ts';

export interface GivenStack {
  readonly dependencies?: readonly string[];
  readonly resources?: Readonly<Record<string, unknown>>;
}

/** Writes what `cdk synth` writes, as far as a release reads it. */
export async function writeAssembly(stacks: Readonly<Record<string, GivenStack>>): Promise<string> {
  const directory = join(await temporaryDirectory(), 'assembly');
  await mkdir(directory);
  const artifacts = Object.entries(stacks).map(([name, { dependencies = [] }]) => [
    name,
    {
      type: 'aws:cloudformation:stack',
      dependencies: [...dependencies, `${name}.assets`],
      properties: { templateFile: `${name}.template.json` },
    },
  ]);
  const assets = Object.keys(stacks).map((name) => [`${name}.assets`, { type: 'cdk:asset-manifest' }]);
  await writeFile(
    join(directory, 'manifest.json'),
    JSON.stringify({ version: '48.0.0', artifacts: Object.fromEntries([...artifacts, ...assets]) }),
  );
  for (const [name, { resources = {} }] of Object.entries(stacks)) {
    await writeFile(join(directory, `${name}.template.json`), JSON.stringify({ Resources: resources }));
  }
  return directory;
}
