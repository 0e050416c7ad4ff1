import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * Bundles the function that activates the rule set. It is no step of the machine, and belongs to the stacks.
 * @param output where `activation/handler.mjs` is written
 */
export function bundleActivation(output: string): void {
  buildSync({
    entryPoints: [fileURLToPath(new URL('./handler.ts', import.meta.url))],
    outfile: join(output, 'activation', 'handler.mjs'),
    bundle: true,
    minify: true,
    // An error's name is its code.
    keepNames: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
}
