import { type DocumentReading, readingOf, unreadable, withHidden } from './pages.ts';
import type { Patience } from './patience.ts';

/** The largest file that is opened, in bytes. */
const largest = 25 * 1024 * 1024;

/**
 * The text of a word processor's file: DOCX, ODT or RTF. Such a file has no pages until it is printed: it is one page.
 *
 * @param bytes attacker-controlled
 */
export async function readWord(bytes: Uint8Array, patience: Patience): Promise<DocumentReading> {
  if (bytes.length > largest) return unreadable('too_large');
  const zipped = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const result = await (zipped ? patience.run('word', [bytes]) : patience.run('rtf', [bytes]));
  if (result.ended === 'stopped') return unreadable('too_large');
  if (result.ended === 'failed')
    return unreadable(result.error === 'TooLargeError' ? 'too_large' : 'damaged');
  return withHidden(readingOf([result.value.text]), [result.value.hidden]);
}
