import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';

/** The form of a backup. One that is newer is not restored. */
export const backupFormat = 1;

export const manifestName = 'manifest.json';

const fileSchema = z.strictObject({
  /** Relative to the backup, with `/` between the parts. */
  path: z.string().min(1),
  size: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.strictObject({
  format: z.literal(backupFormat),
  /** The release that made it. */
  release: z.string(),
  /** ISO instant at which the office stood as it is in here. */
  at: z.iso.datetime(),
  files: z.array(fileSchema),
});

/** What a backup holds, file by file. */
export type Manifest = z.infer<typeof manifestSchema>;

/** Reads a folder and says what is in it. @param counted told after each file */
export async function manifestOf(
  folder: string,
  head: Pick<Manifest, 'release' | 'at'>,
  counted: () => void = () => {},
): Promise<Manifest> {
  const files: Manifest['files'] = [];
  for (const path of await filesIn(folder)) {
    files.push({ path, ...(await digestOfFile(join(folder, path))) });
    counted();
  }
  return { format: backupFormat, ...head, files };
}

/**
 * Compares what was unpacked with what the backup says that it holds, before anything is made of it.
 * @throws CaregateError `BACKUP_INVALID` for a file that is missing, not named, or not the one that was packed
 */
export async function verifyFolder(folder: string, counted: () => void = () => {}): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const found = new Set(await filesIn(folder));
  found.delete(manifestName);
  for (const { path, size, sha256 } of manifest.files) {
    if (!found.delete(path)) throw damaged(`\`${path}\` is missing`);
    const digest = await digestOfFile(join(folder, path));
    if (digest.size !== size || digest.sha256 !== sha256) throw damaged(`\`${path}\` is not what was packed`);
    counted();
  }
  const [stranger] = found;
  if (stranger !== undefined) throw damaged(`\`${stranger}\` was not packed`);
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  let given: unknown;
  try {
    given = JSON.parse(await readFile(join(folder, manifestName), 'utf8'));
  } catch (cause) {
    throw damaged(`\`${manifestName}\` is missing or cut short`, cause);
  }
  const format = z.object({ format: z.int() }).safeParse(given);
  if (format.success && format.data.format > backupFormat) {
    throw new CaregateError(
      'BACKUP_INVALID',
      `\`backup\` has the form \`${format.data.format}\`, and this release knows \`${backupFormat}\`; use the newer release`,
    );
  }
  const manifest = manifestSchema.safeParse(given);
  if (!manifest.success) throw damaged(`\`${manifestName}\` does not have its form`);
  return manifest.data;
}

/** Every file below a folder, by its path from there, in order. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}

async function digestOfFile(path: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { size: (await stat(path)).size, sha256: hash.digest('hex') };
}

export function damaged(what: string, cause?: unknown): CaregateError {
  return new CaregateError('BACKUP_INVALID', `\`backup\` is damaged: ${what}; take another one`, { cause });
}
