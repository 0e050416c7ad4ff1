/**
 * What a reader cannot see but a program reads: soft hyphens, zero-width characters, joiners, bidirectional marks,
 * variation selectors and tag characters. An attacker hides words, or their order, with them.
 */
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code points are meant, not what they combine to
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The text without what nobody can see. Tabs and line feeds stay; line endings become line feeds. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|\f|\u2028|\u2029|\u0085/g, '\n')
    .replace(invisible, '')
    .replace(control, '');
}

/** The visible text on one line, its white space collapsed. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/\s+/gu, ' ').trim();
}

/** The text cut to at most `longest` UTF-16 code units, never through a surrogate pair. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? longest - 1 : longest);
}
