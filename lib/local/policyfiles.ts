import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CaregateError } from '../errors.ts';
import { type CompiledPolicy, compilePolicy } from '../policy/rules.ts';
import type { Circle } from '../provenance/circle.ts';

/**
 * Compiles the rules of a directory, so that a bad file stops a start and not a mail.
 * @throws CaregateError `CONFIGURATION_INVALID` naming the file
 */
export function compilePolicyFiles(directory: string, circle: Circle): CompiledPolicy {
  return compilePolicy({
    policy: readRules(directory, 'policy.yaml'),
    constitution: readRules(directory, 'constitution.yaml'),
    circle,
  });
}

function readRules(directory: string, name: string): string {
  const file = join(directory, name);
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `rules file \`${file}\` cannot be read; name a directory that has it`,
      {
        cause,
      },
    );
  }
}
