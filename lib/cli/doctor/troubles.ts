import { findConnection, openDataDirectory } from '../../local/datadirectory.ts';
import { readTroubles } from '../../web/troubles.ts';
import type { Finding } from './finding.ts';

/** What the running office itself found wrong; where none runs, everything is looked at by doctor alone. */
export function troubleFindings(data: string): Finding[] {
  if (findConnection(data) === undefined) return [];
  return readTroubles(openDataDirectory(data).troubles).map(({ id, says, remedy, detail, since }) => ({
    check: id,
    health: 'wrong',
    says: `${says}${detail === undefined ? '' : ` (${detail})`}; ${remedy} (since ${since})`,
  }));
}
