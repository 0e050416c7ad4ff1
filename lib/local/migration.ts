import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CaregateError } from '../errors.ts';

/**
 * The version of the data directory's layout.
 * - 1: as it began
 * - 2: letters may be held back after a restore, which an older release does not know and would send
 */
export const currentVersion = 2;

/** What makes a directory of one version one of the next. Each can be done again after it was cut short. */
export type Migration = (root: string) => void;

/** By the version that each starts from. Version 2 moved nothing: its number alone keeps older releases out. */
export const migrations: Readonly<Record<number, Migration>> = { 1: () => {} };

export const versionFile = (root: string): string => join(root, 'version');

/**
 * The version of a data directory, which is one that this release knows.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` for any other; nothing is changed then
 */
export function readVersion(root: string): number {
  const text = readFileSync(versionFile(root), 'utf8').trim();
  const version = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (version >= 1 && version <= currentVersion) return version;
  throw new CaregateError(
    'DATA_DIRECTORY_INVALID',
    `data directory \`${root}\` has the version \`${text.slice(0, 20)}\`, which this release does not know; use the newer release`,
  );
}

/**
 * Brings a data directory to the current version, one version after the other. Only who holds its lock may: an office
 * that runs expects its directory as it found it. The number is written after each step, so that a step that was cut short
 * is done again.
 * @returns the version that it had
 * @throws CaregateError `DATA_DIRECTORY_INVALID`
 */
export function migrateDataDirectory(
  root: string,
  steps: Readonly<Record<number, Migration>> = migrations,
): number {
  const found = readVersion(root);
  for (let version = found; version < currentVersion; version += 1) {
    const step = steps[version];
    if (step === undefined) {
      throw new CaregateError(
        'DATA_DIRECTORY_INVALID',
        `data directory \`${root}\` has the version \`${version}\`, from which no step leads on; use the release before this one`,
      );
    }
    step(root);
    writeVersion(root, version + 1);
  }
  return found;
}

/** The number changes in one go, and is on disk when this returns. */
export function writeVersion(root: string, version: number): void {
  const file = versionFile(root);
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(descriptor, `${version}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}
