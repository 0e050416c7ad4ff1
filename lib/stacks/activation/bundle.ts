import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { requireBanner } from '../bundling.ts';

/**
 * Bundles the function that activates the rule set. It is no step of the machine, and belongs to the stacks.
 * @param output where `activation/handler.mjs` is written
 */
export async function bundleActivation(output: string): Promise<void> {
  await build({
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
    banner: { js: requireBanner },
    logLevel: 'error',
  });
}
