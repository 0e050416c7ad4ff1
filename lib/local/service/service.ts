import { CaregateError } from '../../errors.ts';
import { launchdAgent } from './launchd.ts';
import { systemdUnit } from './systemd.ts';

/** What a service starts, and where; every path is absolute. */
export interface ServiceOptions {
  readonly node: string;
  /** The program that `caregate` is. */
  readonly program: string;
  readonly workingDirectory: string;
  readonly data: string;
  /** The user's own folder. */
  readonly home: string;
}

/** A file for whatever starts services, and the commands for it. */
export interface ServiceFile {
  readonly path: string;
  readonly content: string;
  readonly install: readonly string[];
  readonly uninstall: readonly string[];
  /** Says how it stands. */
  readonly look: string;
}

export const serviceManagers = { systemd: systemdUnit, launchd: launchdAgent } as const;
export type ServiceManager = keyof typeof serviceManagers;

/**
 * The file that has an office started with the machine, or when its user logs in.
 * @throws CaregateError `INVALID_INPUT` for a path with a character that no such file can hold
 */
export function serviceFile(manager: ServiceManager, options: ServiceOptions): ServiceFile {
  for (const [name, path] of Object.entries(options)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(path)) {
      throw new CaregateError(
        'INVALID_INPUT',
        `\`${name}\` has a control character in its path; move it elsewhere`,
      );
    }
  }
  return serviceManagers[manager](options);
}
