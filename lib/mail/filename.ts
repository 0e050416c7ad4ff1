import { cutText, visibleLine } from './characters.ts';

const longest = 100;
const longestExtension = 12;
/** Names that Windows gives to devices: a file of that name cannot be saved there. */
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/**
 * A file name that is safe to show and to put into a key: the last path segment, one line of visible characters, at
 * most 100 of them, with its extension kept.
 *
 * @param name as the mail writes it; attacker-controlled
 * @returns nothing where nothing is left
 */
export function safeFileName(name: string): string | undefined {
  // A name may be as long as a header; only its end can hold the part that counts.
  const base = visibleLine(name.slice(-1000).normalize('NFC')).split(/[/\\]/).at(-1) ?? '';
  const clean = base
    .replace(/[<>:"|?*`]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .replace(device, '_$&');
  if (clean === '') return undefined;
  const extension = /\.[A-Za-z0-9]+$/.exec(clean)?.[0] ?? '';
  if (clean.length <= longest || extension.length > longestExtension) return cutText(clean, longest).trim();
  return `${cutText(clean, longest - extension.length).trim()}${extension}`;
}
