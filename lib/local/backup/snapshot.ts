import { chmod, copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataDirectory } from '../datadirectory.ts';
import type { Service } from '../endpoints/service.ts';
import { exportTables } from './tables.ts';

/** What a snapshot is taken of. */
export interface SnapshotSource {
  readonly data: DataDirectory;
  readonly tables: Service;
  /** Writes the whole journal, as it stands in this instant, into a new file. */
  readonly journal: (file: string) => void;
}

/** The folders of a snapshot: the data directory's own files, and the tables as lines. */
export const snapshotFolders = { data: 'data', tables: 'tables' } as const;

const folderOf = (data: DataDirectory): string => join(data.root, 'snapshots');
/** What holds for one run of an office alone, and what is written in another way. */
const leftOut =
  /^(?:lock.*|office\.json|troubles\.json|second-office|probe|snapshots|tables|journal\.sqlite.*)$/;
/** Written once and never again, so that a second name for it is as good as a copy, and takes no time. */
const writtenOnce = /^(?:objects|outbox|events)$/;
/** A file that is being written has a name of its own until it is whole. */
const unfinished = /(?:^|[/\\])new-[^/\\]+$|\.new$/;

/**
 * Takes a snapshot of a data directory, while nothing changes its stores. Earlier ones are removed: one is asked for at a
 * time, so whoever asked for them is gone.
 * @returns the folder that holds it, inside the data directory
 */
export async function takeSnapshot({ data, tables, journal }: SnapshotSource, id: string): Promise<string> {
  const snapshots = folderOf(data);
  await rm(snapshots, { recursive: true, force: true });
  const folder = join(snapshots, id);
  const target = join(folder, snapshotFolders.data);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const journalFile = join(target, 'journal.sqlite');
  journal(journalFile);
  await chmod(journalFile, 0o600); // SQLite makes its files for everybody
  await exportTables(tables, join(folder, snapshotFolders.tables));
  for (const { name } of await readdir(data.root, { withFileTypes: true })) {
    if (!leftOut.test(name)) await take(data.root, target, name, writtenOnce.test(name) ? link : copyFile);
  }
  return folder;
}

/** Takes a snapshot away, once it is packed. */
export async function dropSnapshot(data: DataDirectory): Promise<void> {
  await rm(folderOf(data), { recursive: true, force: true });
}

type Take = (from: string, to: string) => Promise<void>;

/** A file or a folder with all that is in it. Links lead out of the directory, and are not followed. */
async function take(root: string, target: string, name: string, way: Take): Promise<void> {
  const found = await readdir(join(root, name), { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  );
  const files =
    found === undefined
      ? [name]
      : found
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const folders = new Set(files.map((file) => dirname(file)));
  for (const folder of folders) await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
  for (const file of files) {
    if (unfinished.test(file)) continue;
    await way(join(root, file), join(target, file)).catch(ignoreAbsent);
  }
}

/** An event that was taken over meanwhile, or a file that got its name. */
function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
