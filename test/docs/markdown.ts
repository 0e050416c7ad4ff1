import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A fenced block of shell commands. `run` marks those that are executed by a test. */
export interface ShellBlock {
  readonly path: string;
  readonly line: number;
  readonly run: boolean;
  readonly commands: readonly string[];
}

/** The shell blocks of a page: ` ```sh `, or ` ```sh run ` for what anyone can run in a fresh clone. */
export function shellBlocks(path: string, text: string): ShellBlock[] {
  return [...text.matchAll(/^```sh( run)?\n(.*?)^```$/gms)].map((match) => ({
    path,
    line: text.slice(0, match.index).split('\n').length,
    run: match[1] !== undefined,
    commands: (match[2] ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  }));
}

/** Links to files that are not there, as `path:line target`. Links to the web are not followed. */
export function brokenLinks(path: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => ({ index: match.index, target: (match[1] ?? '').split('#')[0] ?? '' }))
    .filter(({ target }) => target !== '' && !/^[a-z]+:/.test(target))
    .filter(({ target }) => !existsSync(join(dirname(path), target)))
    .map(({ index, target }) => `${path}:${text.slice(0, index).split('\n').length} ${target}`);
}

/** Lines that a pattern matches, as `path:line match`. */
export function matchingLines(path: string, text: string, pattern: RegExp): string[] {
  return text.split('\n').flatMap((line, at) => {
    const match = pattern.exec(line);
    return match === null ? [] : [`${path}:${at + 1} ${match[0]}`];
  });
}
