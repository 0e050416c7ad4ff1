import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

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

// The bundles are ES modules, but some of the libraries in them still call `require`.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles every handler in one run, which is many times faster than one run each.
 * @param directory the folder `lambdas`
 * @param output where `<name>/handler.mjs` is written
 */
export function bundleHandlers(directory: string, output: string): void {
  buildSync({
    entryPoints: handlerNames(directory).map((name) => join(directory, name, 'handler.ts')),
    outdir: output,
    outbase: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    // Errors are told apart by their class's name as well, so names must survive.
    keepNames: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: banner },
    logLevel: 'error',
  });
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
