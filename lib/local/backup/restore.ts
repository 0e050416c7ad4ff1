import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CaregateError } from '../../errors.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { openDataDirectory } from '../datadirectory.ts';
import { syncDirectory } from '../endpoints/durable.ts';
import { dynamodbService } from '../endpoints/dynamodb.ts';
import { migrateDataDirectory } from '../migration.ts';
import { restoredFile } from '../relay/hold.ts';
import { unpack } from './archive.ts';
import { inOwnFolder } from './leftovers.ts';
import { damaged, type Manifest, verifyFolder } from './manifest.ts';
import { snapshotFolders } from './snapshot.ts';
import { importTables } from './tables.ts';

/**
 * Makes a data directory of a backup. Nothing is there before all of it was unpacked, compared with its manifest and
 * filled: a restore that was interrupted leaves no directory that looks whole.
 *
 * What left after the backup was made is not known to what is restored. So its letters wait until a person says that they
 * may leave.
 * @param directory does not exist yet, or is empty
 * @throws CaregateError `BACKUP_INVALID`, `NOT_FOUND`, or `DATA_DIRECTORY_INVALID` for one that holds something
 */
export async function restore(
  file: string,
  directory: string,
  clock: Clock,
  verified: (manifest: Manifest) => void = () => {},
): Promise<Manifest> {
  const root = resolve(directory);
  await requireEmpty(directory, root);
  await mkdir(dirname(root), { recursive: true });
  return inOwnFolder(join(dirname(root), `.${basename(root)}-restoring-`), async (unpacked) => {
    await unpack(file, unpacked);
    const manifest = await verifyFolder(unpacked);
    verified(manifest);
    const made = await fill(unpacked, manifest, clock);
    await makeRoom(directory, root);
    await rename(made, root);
    await syncDirectory(dirname(root));
    return manifest;
  });
}

/** Makes a data directory of what was unpacked, and has all of it on disk. @returns where it lies */
async function fill(unpacked: string, manifest: Manifest, clock: Clock): Promise<string> {
  const made = join(unpacked, snapshotFolders.data);
  if (!existsSync(join(made, 'version'))) throw damaged('`version` of the data directory is missing');
  const data = openDataDirectory(made);
  migrateDataDirectory(made); // an older release knows nothing of letters that are held
  const tables = await dynamodbService({ directory: data.tables });
  try {
    await importTables(tables, join(unpacked, snapshotFolders.tables));
  } finally {
    await tables.close();
  }
  await mkdir(data.outbox, { recursive: true, mode: 0o700 });
  const restored = { backup: manifest.at, restored: isoTime(clock) };
  await writeFile(restoredFile(data.outbox), `${JSON.stringify(restored)}\n`, { mode: 0o600 });
  await settle(made);
  return made;
}

/** Has all of it on disk before it gets its name, and for its owner alone: databases make their files for everybody. */
async function settle(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) {
      await chmod(path, 0o700);
      await syncDirectory(path);
    } else {
      const file = await open(path, 'r+');
      await file.chmod(0o600);
      await file.sync();
      await file.close();
    }
  }
  await syncDirectory(folder);
}

/** Takes an empty directory away. An office that was started there meanwhile keeps what it has. */
async function makeRoom(given: string, root: string): Promise<void> {
  try {
    await rmdir(root);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw notEmpty(given, cause);
  }
}

/** What restores that were killed left beside a directory: nobody else takes it away. */
export async function leftBeside(directory: string): Promise<string[]> {
  const root = resolve(directory);
  const found = await readdir(dirname(root)).catch(() => []);
  return found
    .filter((name) => name.startsWith(`.${basename(root)}-restoring-`))
    .map((name) => join(dirname(root), name));
}

async function requireEmpty(given: string, root: string): Promise<void> {
  const found = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CaregateError(
      'DATA_DIRECTORY_INVALID',
      `data directory \`${given}\` is not a directory; name another one`,
      { cause: error },
    );
  });
  if (found.length > 0) throw notEmpty(given);
}

function notEmpty(given: string, cause?: unknown): CaregateError {
  return new CaregateError(
    'DATA_DIRECTORY_INVALID',
    `data directory \`${given}\` holds something, or is a mount; restore into one that is empty or not there`,
    { cause },
  );
}
