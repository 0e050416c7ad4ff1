import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CaregateError } from '../errors.ts';
import { readConnection } from './datadirectory.ts';

/** A data directory that one office holds, and no second one can. */
export interface DataLock {
  /** Whether another office was refused since this was asked the last time. */
  refusedAnother(): boolean;
  release(): void;
}

const lockFile = (directory: string): string => join(directory, 'lock');
const backupLockFile = (directory: string): string => join(directory, 'lock-backup');
const refusalFile = (directory: string): string => join(directory, 'second-office');
const busyCode = 5;
/** Whoever only looks whether it is held has the lock for a moment, in milliseconds. */
const patience = 250;

/**
 * Takes a data directory for one office. The lock is the operating system's, by way of SQLite: it ends with the process
 * that holds it however that ends, holds between containers that share the directory, and no process id is believed.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` if another office holds it; that one is left a note of it
 */
export function lockDataDirectory(directory: string): DataLock {
  const held = take(lockFile(directory), directory, (cause) => {
    leaveNote(directory);
    return invalid(directory, `${heldBy(directory)}; stop that one or name another directory`, cause);
  });
  return { refusedAnother: () => takeNote(directory), ...held };
}

/**
 * Lets one backup of a data directory be made at a time, beside the office: the second would take the snapshot away that
 * the first is packing.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` while another is made
 */
export function lockBackup(directory: string): Pick<DataLock, 'release'> {
  return take(backupLockFile(directory), directory, (cause) =>
    invalid(directory, 'is just being packed by another backup; wait until that one has ended', cause),
  );
}

function take(
  file: string,
  directory: string,
  refusal: (cause: unknown) => CaregateError,
): Pick<DataLock, 'release'> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: patience });
    // The table is there so that SQLite has something to lock: it takes no lock on an empty file.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (by_one); COMMIT',
    );
  } catch (cause) {
    if (database?.isOpen === true) database.close();
    if ((cause as { errcode?: number }).errcode === busyCode) throw refusal(cause);
    throw invalid(directory, 'cannot be written; make room, or name another directory', cause);
  }
  const held = database;
  return {
    release: () => {
      if (held.isOpen) held.close();
    },
  };
}

/** Whether an office holds a data directory: one in another container, too. Nothing is changed. */
export function isHeld(directory: string): boolean {
  if (!existsSync(lockFile(directory))) return false;
  const database = new DatabaseSync(lockFile(directory), { readOnly: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    return (error as { errcode?: number }).errcode === busyCode;
  } finally {
    database.close();
  }
}

/** Who holds it, as far as that one has said so already. */
function heldBy(directory: string): string {
  const holder = readConnection(directory);
  const who = holder === undefined ? '' : ` (process ${holder.pid}, pages ${holder.web})`;
  return `is in use by another office${who}`;
}

function leaveNote(directory: string): void {
  try {
    writeFileSync(refusalFile(directory), '', { mode: 0o600 });
  } catch {
    // The refusal itself says what there is to say.
  }
}

function takeNote(directory: string): boolean {
  const there = statSync(refusalFile(directory), { throwIfNoEntry: false }) !== undefined;
  if (there) rmSync(refusalFile(directory), { force: true });
  return there;
}

function invalid(directory: string, what: string, cause: unknown): CaregateError {
  return new CaregateError('DATA_DIRECTORY_INVALID', `data directory \`${directory}\` ${what}`, { cause });
}
