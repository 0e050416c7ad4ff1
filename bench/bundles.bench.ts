import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { handlerNames } from '../lib/stacks/bundles.ts';
import { type Bundle, bundle } from '../lib/stacks/bundling.ts';

export const title =
  'Bundles: what a cold start reads, and how long it takes to load (a process each, medians of 5)';

const rounds = 5;
const kilobytes = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en')} KB`;

/** Milliseconds to load a handler in a process of its own, as a function's runtime does. */
function loadTime(file: string): number {
  const program = `const start = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)});
console.log(performance.now() - start); process.exit();`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const time = Number(child.stdout);
  if (child.status !== 0 || Number.isNaN(time)) throw new TypeError(`${file} does not load: ${child.stderr}`);
  return time;
}

function row({ name, start, later, packages }: Bundle, median: number): string {
  const clients = packages
    .filter((each) => each.startsWith('@aws-sdk/client-'))
    .map((each) => each.replace('@aws-sdk/client-', ''));
  const beside = later === 0 ? '' : `+ ${kilobytes(later)} later`;
  const numbers = `${kilobytes(start).padStart(9)} ${beside.padEnd(17)} ${median.toFixed(0).padStart(5)} ms`;
  return `${name.padEnd(18)} ${numbers}   ${clients.join(', ')}`;
}

export async function measure(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-bench-bundles-'));
  try {
    const began = performance.now();
    const bundles = await bundle(resolve('lambdas'), handlerNames('lambdas'), folder);
    const seconds = (performance.now() - began) / 1000;
    const times = bundles.map((): number[] => []);
    // The rounds of all alternate, so that whatever else the machine does falls on each of them; the first is to warm up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, { name }] of bundles.entries()) {
        const time = loadTime(join(folder, name, 'handler.mjs'));
        if (round > 0) times[index]?.push(time);
      }
    }
    const medians = times.map((each) => each.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0);
    return [
      `${bundles.length} handlers bundled in ${seconds.toFixed(1)} s`,
      ...bundles.map((each, index) => row(each, medians[index] ?? 0)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
