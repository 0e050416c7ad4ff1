import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CaregateError } from '../../errors.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { openDataDirectory } from '../datadirectory.ts';
import { dynamodbService } from '../endpoints/dynamodb.ts';
import { migrateDataDirectory } from '../migration.ts';
import { restoredFile } from '../relay/hold.ts';
import { dropUnpacked, unpack } from './archive.ts';
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
  const unpacked = await mkdtemp(join(dirname(root), `.${basename(root)}-restoring-`));
  try {
    await unpack(file, unpacked);
    const manifest = await verifyFolder(unpacked);
    verified(manifest);
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
    await rm(root, { recursive: true, force: true });
    await rename(made, root);
    return manifest;
  } finally {
    await dropUnpacked(unpacked);
  }
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
  if (found.length === 0) return;
  throw new CaregateError(
    'DATA_DIRECTORY_INVALID',
    `data directory \`${given}\` holds something; restore into one that is empty or not there`,
  );
}
