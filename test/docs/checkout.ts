import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What must not come along: the household's own data, and what tools write. */
const ownData = new Set(['.git', '.caregate', 'cdk.out', 'coverage']);

/**
 * Runs shell commands as in a fresh clone: in a folder where everything of the repository is linked, and the data
 * directory does not exist yet.
 */
export function runInCheckout(commands: readonly string[]) {
  const checkout = mkdtempSync(join(tmpdir(), 'caregate-docs-'));
  try {
    for (const name of readdirSync('.').filter((each) => !ownData.has(each))) {
      symlinkSync(resolve(name), join(checkout, name));
    }
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
      cwd: checkout,
      // Offline: a command that is not ours must fail instead of being fetched.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_offline: 'true' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 400_000,
    });
    return { status, stdout, stderr };
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}
