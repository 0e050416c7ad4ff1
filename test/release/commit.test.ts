import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exactCommit } from '../../lib/release/commit.ts';
import { prepareChangeSet, synthesize } from '../../lib/release/toolkit.ts';
import { temporaryDirectory } from '../support/endpoints.ts';

async function repository() {
  const root = await temporaryDirectory();
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=Invented', '-c', 'user.email=nobody@family.example'];
    return spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' }).stdout;
  };
  git('init', '--quiet');
  await writeFile(join(root, '.gitignore'), 'dist/\n');
  await writeFile(join(root, 'a file'), 'one');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  return { root, git };
}

describe('the commit of a release', () => {
  it('is that of a clean tree', async () => {
    const { root, git } = await repository();
    expect(exactCommit(root)).toBe(git('rev-parse', 'HEAD').trim());
    expect(exactCommit(root)).toMatch(/^[0-9a-f]{40}$/);
  });

  it.each([
    ['a changed file', 'a file'],
    ['a file that nobody added', 'another'],
  ])('is refused for a tree with %s, which is named', async (_, name) => {
    const { root } = await repository();
    await writeFile(join(root, name), 'two');
    expect(() => exactCommit(root)).toFailWithCode('RELEASE_REFUSED');
    expect(() => exactCommit(root)).toThrow(name);
  });

  it('is refused for what is staged, and says how much more there is', async () => {
    const { root, git } = await repository();
    await writeFile(join(root, 'b'), '');
    await writeFile(join(root, 'c'), '');
    git('add', '.');
    expect(() => exactCommit(root)).toThrow(/`b` and 1 more/);
  });

  it('is refused where there is no repository', async () => {
    const root = await temporaryDirectory();
    expect(() => exactCommit(join(root))).toFailWithCode('RELEASE_REFUSED');
  });
});

describe('the toolkit', () => {
  /** A command that leaves what it was called with in a file. */
  async function recording(status = 0) {
    const root = await temporaryDirectory();
    const file = join(root, 'called.json');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.argv.slice(1))); process.exit(${status})`;
    const toolkit = { root, assembly: 'dist/assembly', command: [process.execPath, '-e', script, '--'] };
    const called = async (): Promise<string[]> => (await import(file, { with: { type: 'json' } })).default;
    return { toolkit, called };
  }

  it('synthesizes for the commit', async () => {
    const { toolkit, called } = await recording();
    await synthesize(toolkit, 'mine.yaml', 'abc');
    expect(await called()).toEqual(
      expect.arrayContaining(['synth', 'deployment=mine.yaml', 'commit=abc', 'dist/assembly']),
    );
  });

  it('has a change set made, and never lets the toolkit execute one', async () => {
    const { toolkit, called } = await recording();
    await prepareChangeSet(toolkit, 'case-file', 'caregate-abc');
    const args = await called();
    expect(args).toEqual(expect.arrayContaining(['deploy', 'case-file', '--exclusively', 'caregate-abc']));
    expect(args[args.indexOf('--method') + 1]).toBe('prepare-change-set');
    expect(args.join(' ')).not.toMatch(/--method change-set|--execute|direct/);
  });

  it('fails with the toolkit, or where there is none', async () => {
    const { toolkit } = await recording(1);
    await expect(synthesize(toolkit, 'mine.yaml', 'abc')).toFailWithCode('CONFIGURATION_INVALID');
    await expect(prepareChangeSet(toolkit, 'case-file', 'x')).toFailWithCode('CLOUD_UNAVAILABLE');
    const absent = { ...toolkit, command: ['./not-there'] };
    await expect(prepareChangeSet(absent, 'case-file', 'x')).toFailWithCode('CLOUD_UNAVAILABLE');
  });
});
