import { readTroubles } from '../../lib/web/troubles.ts';
import { part } from './part.ts';

/** What keeps the office from working, where it writes that down; read anew for each page. */
export const troubles = part((source) => {
  const file = source.setting('CAREGATE_TROUBLES');
  return () => (file === undefined ? [] : readTroubles(file));
});
