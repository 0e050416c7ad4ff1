import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pathsOf } from '../style/source.ts';
import { runInCheckout } from './checkout.ts';
import { brokenLinks, matchingLines, shellBlocks } from './markdown.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const readme = read('README.md');
const pages = ['README.md', ...pathsOf('docs/**/*.md', 'rules/*.md', 'CHANGELOG.md')];
const sources = pathsOf('{lib,lambdas,bin,samples}/**/*.{ts,js}');

describe('README', () => {
  it('has at most 100 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
  });

  it('begins with the two commands that a newcomer needs', () => {
    const commands = shellBlocks('README.md', readme).flatMap((block) => block.commands);
    expect(commands.slice(0, 2)).toEqual(['npm start', 'npm test']);
  });

  it('names only commands that the command line has', async () => {
    const help = spawnSync(process.execPath, ['bin/caregate.js', '--help'], { encoding: 'utf8' }).stdout;
    const known = [...help.matchAll(/^ {2}([a-z]+)[ \n]/gm)].map(([, name]) => name);
    const named = [...readme.matchAll(/`?(?:npx )?caregate ([a-z]+)/g)].map(([, name]) => name);
    expect(known.length).toBeGreaterThan(5);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('pages', () => {
  it('link to files that are there', () => {
    expect(pages.flatMap((path) => brokenLinks(path, read(path)))).toEqual([]);
  });

  it('are there where the code refers to them', () => {
    const named = sources.flatMap((path) =>
      matchingLines(path, read(path), /\bdocs\/[a-z0-9/-]+\.md/).filter((hit) => {
        const [, page = ''] = hit.split(' ');
        return !existsSync(page);
      }),
    );
    expect(named).toEqual([]);
  });

  it.each(pages.flatMap((path) => shellBlocks(path, read(path))).filter(({ run }) => run))(
    'run as they stand: $path:$line',
    ({ commands }) => {
      const { status, stdout, stderr } = runInCheckout(commands);
      expect({ status, output: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({
        status: 0,
        output: '',
      });
    },
    420_000,
  );

  it('list every setting that the code reads, and no other', () => {
    const setting = /CAREGATE_[A-Z]+(?:_[A-Z]+)*/g;
    const names = (text: string): string[] => [...new Set(text.match(setting) ?? [])].sort();
    expect(names(read('docs/settings.md'))).toEqual(names(sources.map(read).join('\n')));
  });

  it('keep a changelog for what is not released yet', () => {
    expect(read('CHANGELOG.md')).toMatch(/^## \[Unreleased\]$/m);
  });
});

describe('committed files', () => {
  const text = /\.(?:ts|js|json|yaml|yml|md|sh)$|^\.ci\/|^\.gitignore$/;
  const committed = pathsOf(
    '*.{json,js,ts,md,yaml}',
    '.ci/*',
    '{bin,lib,lambdas,samples,rules,docs,statemachines,bench}/**/*',
  );
  const files = [...committed, ...pathsOf('test/**/*.ts')].filter((path) => text.test(path));
  // In pieces, so that this file does not find itself.
  const hosts = new RegExp(
    ['registry\\.np' + 'mjs', 'npm' + 'js\\.(?:org|com)', 'pypi\\.' + 'org', '"resolved": "ht' + 'tp'].join(
      '|',
    ),
  );
  const machinePaths = new RegExp(
    ['/wo' + 'rk/', '/ro' + 'ot/', '/ho' + 'me/[a-z]+/', '/Use' + 'rs/[a-z]+/'].join('|'),
  );

  it('name no host of a registry', () => {
    expect(files.flatMap((path) => matchingLines(path, read(path), hosts))).toEqual([]);
  });

  it('name no path of the machine that they were written on', () => {
    expect(files.flatMap((path) => matchingLines(path, read(path), machinePaths))).toEqual([]);
  });
});

describe('the rules for pages', () => {
  const page = 'Text.\n\n```sh\nnpm start\n```\n\n```sh run\n# says\nls README.md\n\nls docs\n```\n';

  it('read shell blocks with their line, and which of them run', () => {
    expect(shellBlocks('a.md', page)).toEqual([
      { path: 'a.md', line: 3, run: false, commands: ['npm start'] },
      { path: 'a.md', line: 7, run: true, commands: ['ls README.md', 'ls docs'] },
    ]);
  });

  it('find a link to nowhere, but do not follow the web or an anchor', () => {
    const links = '[a](README.md) [b](https://a.example/x)\n[c](#top) [d](docs/absent.md#part)';
    expect(brokenLinks('x.md', links)).toEqual(['x.md:2 docs/absent.md']);
  });

  it('find a line that matches', () => {
    expect(matchingLines('a.md', 'one\nsee /tmp/x', /\/tmp\//)).toEqual(['a.md:2 /tmp/']);
  });

  it('run commands where there is no data yet, and stop at the first that fails', () => {
    expect(runInCheckout(['test -e README.md', 'test ! -e .caregate'])).toMatchObject({ status: 0 });
    expect(runInCheckout(['false', 'echo reached'])).toMatchObject({ status: 1, stdout: '' });
  });
});
