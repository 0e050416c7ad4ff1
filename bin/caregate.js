#!/usr/bin/env node
// The command's entry. Plain JavaScript: it may be started by an older Node, and then hands over to the Node 24
// that npm installed beside the project.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major = 0] = process.versions.node.split('.').map(Number);
const main = fileURLToPath(new URL('../lib/cli/main.ts', import.meta.url));
const bundled = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

const cache = fileURLToPath(new URL('../node_modules/.cache/caregate-compiled', import.meta.url));

if (major >= 24) {
  // A command starts in two thirds of the time with what an earlier one compiled; beside the packages, where nobody else writes.
  const { enableCompileCache } = await import('node:module'); // an older Node has none
  enableCompileCache(cache);
  await import(main);
} else if (existsSync(bundled)) {
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
} else {
  console.error(
    `caregate: Node ${process.versions.node} is too old and none was installed for ${process.platform}-${process.arch}; run \`npm install\`, or use Node 24 or newer`,
  );
  process.exit(1);
}
