import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { settingsFile } from '../settingsfile.ts';
import { type Finding, looked } from './finding.ts';

/** Who beside its owner may read or write a file. Windows keeps its rights elsewhere, and says 0666 of every file. */
const others = process.platform === 'win32' ? 0 : 0o077;

/** Whether the household's settings are for its owner alone: they hold passwords. Nothing where there are none. */
export async function settingsFindings(data: string): Promise<Finding[]> {
  const file = settingsFile(data);
  if (!existsSync(file)) return [];
  const finding = await looked('settings', () => {
    const count = Object.keys(parseEnv(readFileSync(file, 'utf8'))).length;
    const says = `${count} in ${file}`;
    if ((statSync(file).mode & others) === 0) return { health: 'ok', says };
    return { health: 'wrong', says: `${says}, which others may read: say \`chmod 600 ${file}\`` };
  });
  return [finding];
}
