import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type * as z from 'zod';

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

/**
 * Writes a file if its name is free, in a folder that is made if there is none. It is on disk when this returns.
 * @returns whether the name was free
 */
export async function createSynced(path: string, content: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeSynced(`${path}.new`, content);
  const created = await nameOnce(`${path}.new`, path);
  await syncDirectory(dirname(path));
  return created;
}

/** Writes a file in place of what has its name, which stands until the new one is on disk. */
export async function replaceSynced(path: string, content: string): Promise<void> {
  await writeSynced(`${path}.new`, content);
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

/** What a file of JSON holds, or nothing where it is damaged. Fails if it cannot be read at all. */
export async function readIntact<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** When a file was written, as an ISO instant: what a damaged one still says. */
export async function writtenAt(path: string): Promise<string> {
  return (await stat(path)).mtime.toISOString();
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
