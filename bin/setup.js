// Runs before `npm start` and `npm test` on whatever Node started npm, so that one command is enough on a
// fresh clone. It must therefore stay plain JavaScript with no dependency.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// npm writes this file last, so an install that was interrupted is done again.
if (!existsSync(`${root}node_modules/.package-lock.json`)) {
  console.error('caregate: first run, installing the locked dependencies (about a minute) …');
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (install.status !== 0) {
    console.error('caregate: `npm ci` failed; see the messages above, then run the command again');
    process.exit(install.status ?? 1);
  }
}
