import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as tar from 'tar';
import { CaregateError } from '../../errors.ts';
import { syncDirectory } from '../endpoints/durable.ts';
import { droppedOnSignal } from './leftovers.ts';
import { damaged, type Manifest, manifestName } from './manifest.ts';

/** Writes the manifest into a folder and packs all of it, the manifest first, onto a stream such as standard output. */
export async function packOnto(folder: string, manifest: Manifest, to: Writable): Promise<void> {
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 1)}\n`, { mode: 0o600 });
  const paths = [manifestName, ...manifest.files.map(({ path }) => path)];
  await pipeline(tar.create({ cwd: folder, gzip: true, portable: true, strict: true }, paths), to);
}

/**
 * Packs into a file that has its name only once all of it is on disk. It is for its owner alone: it holds the key that
 * links are signed with, and every mail.
 * @throws CaregateError `INVALID_INPUT` if the file is there, or cannot be written
 */
export async function packInto(folder: string, manifest: Manifest, file: string): Promise<void> {
  await droppedOnSignal(
    () => `${file}.new`,
    (making) => packUnder(making, folder, manifest, file),
  );
}

async function packUnder(making: string, folder: string, manifest: Manifest, file: string): Promise<void> {
  let written: FileHandle | undefined;
  try {
    // Opened first: a stream that cannot open fails before anybody listens.
    written = await open(making, 'w', 0o600);
    await packOnto(folder, manifest, written.createWriteStream({ flush: true }));
    await rename(making, file);
    await syncDirectory(dirname(file));
  } catch (cause) {
    await written?.close().catch(() => undefined);
    await rm(making, { force: true });
    const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC';
    throw new CaregateError(
      'INVALID_INPUT',
      isFull
        ? `there is no room for \`${file}\`; make some, or name another disk`
        : `file \`${file}\` cannot be written; name another one`,
      { cause },
    );
  }
}

/**
 * Unpacks a backup into an empty folder. The archive may come from anywhere: only files and folders are taken, and none
 * that would lie outside.
 * @throws CaregateError `NOT_FOUND`, or `BACKUP_INVALID`
 */
export async function unpack(file: string, folder: string): Promise<void> {
  let refused: string | undefined;
  const into = tar.extract({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    dmode: 0o700, // an archive of files alone does not say what the folders were
    filter: (path, entry) => {
      const type = 'type' in entry ? entry.type : 'File';
      const plain = type === 'File' || type === 'OldFile' || type === 'Directory';
      const inside = !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path);
      if (!plain || !inside) refused ??= 'it holds a link, or a file that would lie outside of it';
      return plain && inside;
    },
  });
  try {
    await pipeline(createReadStream(file), into);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CaregateError('NOT_FOUND', `file \`${file}\` does not exist; name a backup`, { cause });
    }
    throw damaged('it cannot be unpacked', cause);
  }
  if (refused !== undefined) throw damaged(refused);
}
