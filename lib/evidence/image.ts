import { type DocumentReading, unreadable } from './pages.ts';
import type { Patience } from './patience.ts';

/** The largest file that is opened, in bytes: a camera's best is half of it. */
const largest = 25 * 1024 * 1024;

/**
 * A picture that waits to be read. Those too small to hold a letter, and those of a kind that nothing here can open, are
 * called so.
 *
 * @param bytes attacker-controlled
 */
export async function readImage(bytes: Uint8Array, patience: Patience): Promise<DocumentReading> {
  if (bytes.length > largest) return unreadable('too_large');
  const result = await patience.run('photo', [bytes]);
  if (result.ended === 'stopped') return unreadable('too_large');
  if (result.ended === 'failed') return unreadable('damaged');
  if ('unread' in result.value) return unreadable(result.value.unread);
  return { ...unreadable('scanned'), unseen: [1], pictures: [{ page: 1, ...result.value }] };
}
