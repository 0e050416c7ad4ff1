import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CaregateError } from '../errors.ts';
import {
  type ServiceFile,
  type ServiceManager,
  serviceFile,
  serviceManagers,
} from '../local/service/service.ts';
import { createOutput } from './output.ts';
import type { CommonOptions } from './session.ts';

export interface ServiceCommandOptions extends CommonOptions {
  readonly for?: string;
  readonly write?: boolean;
}

/** Prints the file that starts the office with the machine, and what to do with it; writes it only if asked to. */
export async function installService(options: ServiceCommandOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const file = fileOf(options);
  output.object({ ...file, written: options.write === true });
  output.line(`# ${file.path}`);
  output.line(file.content);
  if (options.write === true) {
    mkdirSync(dirname(file.path), { recursive: true });
    writeFileSync(file.path, file.content, { mode: 0o600 });
    output.line(`Written to ${file.path}. Then:`);
  } else {
    output.line(`Put this into ${file.path}, or have it written with --write. Then:`);
  }
  for (const command of file.install) output.line(`  ${command}`);
  output.line(`How it stands: ${file.look}`);
  output.line(`Settings for it belong into ${resolve(options.data)}/settings.env.`);
}

/** Prints how the service is taken away again. The data directory stays. */
export async function uninstallService(options: ServiceCommandOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const { path, uninstall } = fileOf(options);
  output.object({ path, uninstall });
  for (const command of uninstall) output.line(command);
}

function fileOf(options: ServiceCommandOptions): ServiceFile {
  const manager = options.for ?? (process.platform === 'darwin' ? 'launchd' : 'systemd');
  if (!(manager in serviceManagers)) {
    const known = Object.keys(serviceManagers).join('` or `');
    throw new CaregateError('INVALID_INPUT', `\`--for ${manager}\` is not known; write \`${known}\``);
  }
  return serviceFile(manager as ServiceManager, {
    node: process.execPath,
    program: fileURLToPath(new URL('../../bin/caregate.js', import.meta.url)),
    workingDirectory: fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, ''),
    data: resolve(options.data),
    home: homedir(),
  });
}
