import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CaregateError } from '../errors.ts';

/** The folders of `lambdas/` that have a handler: one function each. */
export function handlerNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => existsSync(join(directory, name, 'handler.ts')))
    .sort();
}

/** `RequestApprovalFunction` for `request-approval`: what the state machine's file calls the function. */
export function placeholderOf(name: string): string {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Function`;
}

/** Where the bundles lie in the folder that an app is synthesized into. */
export const bundlesIn = (outdir: string): string => join(outdir, 'bundles');

/**
 * Bundles every handler, in a process of its own: a bundler keeps a core busy, and nothing else has to wait for it.
 * @param directory the folder `lambdas`
 * @param output where `<name>/handler.mjs` is written, and `bundles.json` with the size and the parts of each
 * @throws CaregateError `CONFIGURATION_INVALID` if one cannot be bundled
 */
export async function bundleHandlers(directory: string, output: string): Promise<void> {
  const program = fileURLToPath(new URL('./bundler.ts', import.meta.url));
  const child = spawn(process.execPath, [program, resolve(directory), resolve(output)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (status === 0) return;
  const [first = ''] = said.split('\n').filter((line) => line.trim() !== '');
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `handlers in \`${directory}\` cannot be bundled: ${first}`,
  );
}

/** Puts what the functions read beside their code into one folder: the circles and the rules. */
export function gatherConfiguration(
  sources: { circles: readonly { file: string; circle: { id: string } }[]; rules: string },
  output: string,
): void {
  mkdirSync(join(output, 'rules'), { recursive: true });
  mkdirSync(join(output, 'circles'), { recursive: true });
  for (const { file, circle } of sources.circles) {
    cpSync(file, join(output, 'circles', `${circle.id}.yaml`));
  }
  for (const name of ['policy.yaml', 'constitution.yaml']) {
    cpSync(join(sources.rules, name), join(output, 'rules', name));
  }
}
