import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { CaregateError } from '../errors.ts';

/** The settings of a household, beside its data: one `CAREGATE_NAME=value` a line. */
export const settingsFile = (data: string): string => join(data, 'settings.env');

/**
 * Takes the household's settings into the environment, for a service and for a command by hand alike. What the
 * environment says already goes before what the file says.
 * @throws CaregateError `CONFIGURATION_INVALID` for a file that cannot be read, or a name that is none of ours
 */
export function loadSettings(data: string, environment: NodeJS.ProcessEnv = process.env): void {
  const file = settingsFile(data);
  for (const [name, value] of Object.entries(parseEnv(textOf(file)))) {
    if (!name.startsWith('CAREGATE_')) {
      throw new CaregateError(
        'CONFIGURATION_INVALID',
        `settings file \`${file}\` sets \`${name.slice(0, 60)}\`; it may set what begins with \`CAREGATE_\` alone`,
      );
    }
    environment[name] ??= value;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    // Whether there is a data directory at all is found out, and said, by what opens it.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return '';
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `settings file \`${file}\` cannot be read; let its owner read it`,
      { cause },
    );
  }
}
