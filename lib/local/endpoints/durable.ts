import { link, open, rm } from 'node:fs/promises';

/** Writes a new file, readable by its owner only, that is on disk when this returns. */
export async function writeSynced(path: string, ...content: readonly (Uint8Array | string)[]): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for (const part of content) await file.writeFile(part);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Gives a written file its name, if that is free. Of several racing calls exactly one finds it free: `link` fails where
 * a file is. The temporary name is gone afterwards.
 * @returns whether the name was free
 */
export async function nameOnce(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Puts the names in a directory on disk: a file is there for good only when its name is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
