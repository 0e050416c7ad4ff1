import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import { readConfiguration } from '../provenance/configuration.ts';

const file = z.string().min(1);

const deploymentSchema = z.strictObject({
  /** Goes before the name of every function and of the machine, so that one account can hold several deployments. */
  name: z.string().regex(/^[a-z][a-z0-9-]{1,20}$/),
  /** The file of the circle, or a directory of one `*.yaml` for each of several. */
  circle: file,
  rules: file,
  publicUrl: z.url({ protocol: /^https$/ }),
  models: z.strictObject({
    triage: z.string().min(1),
    /** That of `plan` where none is named. */
    evidence: z.string().min(1).optional(),
    plan: z.string().min(1),
  }),
});

/** What one deployment is configured with. */
export type Deployment = z.infer<typeof deploymentSchema>;

/**
 * Reads the deployment's configuration from a YAML file. Paths in it are relative to the working directory.
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column
 */
export function loadDeployment(path: string): Deployment {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `deployment \`${path}\` cannot be read; name a readable file with \`-c deployment=FILE\``,
      { cause: error },
    );
  }
  return readConfiguration(text, path, deploymentSchema).value;
}
