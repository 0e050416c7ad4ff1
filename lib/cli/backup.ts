import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { CaregateError } from '../errors.ts';
import { packInto, packOnto, unpack } from '../local/backup/archive.ts';
import { inOwnFolder } from '../local/backup/leftovers.ts';
import { type Manifest, manifestOf, verifyFolder } from '../local/backup/manifest.ts';
import { type Snapshot, snapshotAtRest, snapshotOf } from '../local/backup/office.ts';
import { leftBeside, restore } from '../local/backup/restore.ts';
import { dropSnapshot } from '../local/backup/snapshot.ts';
import { connect } from '../local/connection.ts';
import { findConnection, openDataDirectory } from '../local/datadirectory.ts';
import { lockBackup } from '../local/datalock.ts';
import { versionFile } from '../local/migration.ts';
import { systemClock } from '../provenance/clock.ts';
import { systemRandomness } from '../provenance/randomness.ts';
import { createOutput, type Output } from './output.ts';
import type { CommonOptions } from './session.ts';
import { version } from './version.ts';

export interface BackupOptions extends CommonOptions {
  /** How many of the newest are kept in a folder; the target is a folder then. */
  readonly keep?: number;
}

const ours = /^caregate-\d{4}-\d{2}-\d{2}T\d{6}Z\.tar\.gz$/;

/** Packs all of a data directory, as it stands in one instant, into one file; the office goes on meanwhile. */
export async function backup(target: string, options: BackupOptions): Promise<void> {
  const output = createOutput(options.json === true && target !== '-');
  requireThere(options.data);
  await requirePlace(target, options.keep);
  const data = openDataDirectory(options.data);
  const lock = lockBackup(data.root);
  try {
    const { folder, at } = await snapshot(options.data);
    output.progress('took a snapshot; packing');
    const manifest = await manifestOf(folder, { release: version, at });
    if (target === '-') return await packOnto(folder, manifest, process.stdout);
    const file = options.keep === undefined ? target : join(target, nameOf(at));
    await packInto(folder, manifest, file);
    await readBack(file);
    say(output, file, manifest, (await stat(file)).size);
    if (options.keep !== undefined) await removeOlder(target, basename(file), options.keep, output);
  } finally {
    await dropSnapshot(data);
    lock.release();
  }
}

/** Makes a data directory of a backup. */
export async function restoreBackup(file: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  for (const folder of await leftBeside(options.data))
    output.progress(`\`${folder}\` is of another restore; remove it if that one was cut short`);
  const manifest = await restore(file, options.data, systemClock, ({ files }) =>
    output.progress(`${files.length} files are what was packed; restoring`),
  );
  output.object({ restored: resolve(options.data), at: manifest.at, files: manifest.files.length });
  output.line(`Restored ${resolve(options.data)} as it stood at ${manifest.at}.`);
  output.line('Stop the office that it was taken of, if it still runs: two would answer the same mails.');
  output.line('Letters wait until you say `caregate outbox --release`: some may have left after the backup.');
}

async function snapshot(directory: string): Promise<Snapshot> {
  const running = findConnection(directory);
  if (running === undefined) {
    return snapshotAtRest(openDataDirectory(directory), { clock: systemClock, randomness: systemRandomness });
  }
  const office = connect(running);
  try {
    return await snapshotOf(office);
  } finally {
    office.close();
  }
}

/** What was written is unpacked once and compared: a backup that nobody has read is none. */
async function readBack(file: string): Promise<void> {
  await inOwnFolder(join(tmpdir(), 'caregate-backup-'), async (folder) => {
    await unpack(file, folder);
    await verifyFolder(folder);
  });
}

function say(output: Output, file: string, { files, at }: Manifest, bytes: number): void {
  output.object({ file: resolve(file), at, files: files.length, bytes });
  output.line(
    `Packed ${files.length} files, as they stood at ${at}, into ${file} (${bytes.toLocaleString('en')} bytes), and read them back.`,
  );
  output.line(
    'It holds every mail and the key that links are signed with: keep it where nobody else reads it.',
  );
}

/** A folder that is not there is named wrongly: backups of nothing would push those of the household out. */
function requireThere(directory: string): void {
  if (existsSync(versionFile(resolve(directory)))) return;
  throw new CaregateError(
    'NOT_FOUND',
    `data directory \`${directory}\` does not exist; name the one of your office with \`--data\``,
  );
}

/** No folder is made for it: where a disk is not in its place, one would be made beside it, and hide that. */
async function requirePlace(target: string, keep: number | undefined): Promise<void> {
  if (target === '-') return;
  const folder = keep === undefined ? dirname(resolve(target)) : target;
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) {
    throw new CaregateError(
      'NOT_FOUND',
      `folder \`${folder}\` is not there; make it, or look whether its disk is in its place`,
    );
  }
  if (keep !== undefined || (await stat(target).catch(() => undefined)) === undefined) return;
  throw new CaregateError(
    'INVALID_INPUT',
    `file \`${target}\` is there already; name another one, or \`--keep\` some in a folder`,
  );
}

/**
 * Older ones go once the new one was read back; that one stays, whatever the clock said when the others were made.
 * Whatever else lies in the folder stays.
 */
async function removeOlder(folder: string, made: string, keep: number, output: Output): Promise<void> {
  const others = (await readdir(folder)).filter((name) => ours.test(name) && name !== made).sort();
  for (const name of others.slice(0, Math.max(0, others.length + 1 - keep))) {
    await rm(join(folder, name));
    output.progress(`removed ${name}`);
  }
  await removeHalfMade(folder);
}

/** A power cut leaves half a backup, which is as large as a whole one. One that is a day old is under way no longer. */
async function removeHalfMade(folder: string): Promise<void> {
  const isHalf = (name: string): boolean => name.endsWith('.new') && ours.test(name.slice(0, -'.new'.length));
  for (const name of (await readdir(folder)).filter(isHalf)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (systemClock.now() - mtimeMs > 86_400_000) await rm(join(folder, name), { force: true });
  }
}

function nameOf(at: string): string {
  return `caregate-${at.slice(0, 19).replaceAll(':', '')}Z.tar.gz`;
}
