import { spawnSync } from 'node:child_process';
import { CaregateError } from '../errors.ts';

/** How much of a commit people read. */
export const shortCommit = (commit: string): string => commit.slice(0, 12);

/**
 * The commit that a release is built from. A tree with anything in it that is not committed has no name, so what it
 * would ship could be neither looked up nor built again.
 * @param root the folder of the repository
 * @returns forty hexadecimal digits
 * @throws CaregateError `RELEASE_REFUSED` for a tree that is not clean, or is no repository
 */
export function exactCommit(root: string): string {
  const commit = git(root, ['rev-parse', '--verify', 'HEAD']).trim();
  const changed = git(root, ['status', '--porcelain=v1', '--untracked-files=all'])
    .split('\n')
    .filter(Boolean);
  if (changed.length === 0) return commit;
  const [first = ''] = changed;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `tree \`${first.slice(3)}\`${changed.length > 1 ? ` and ${changed.length - 1} more` : ''} differs from the commit; commit, ignore or remove it, so that the release has a name`,
  );
}

function git(root: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `\`git ${args[0]}\` failed; run this in a clone of the repository, with git installed`,
  );
}
