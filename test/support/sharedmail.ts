import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../shared/mail/', import.meta.url));

/** Whether the collection of peculiar mails stands beside the repository. Tests on it are skipped where it does not. */
export const hasSharedMail = existsSync(folder);

/** The bytes of one file of the collection. */
export function sharedMail(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`${folder}${name}`));
}
