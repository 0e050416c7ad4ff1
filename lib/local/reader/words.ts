/** How often a pattern occurs in a text, counted up to `most`, so that repetition cannot outvote everything else. */
export function occurrences(text: string, pattern: RegExp, most = 3): number {
  let count = 0;
  for (const _ of text.matchAll(everywhere(pattern))) {
    count += 1;
    if (count >= most) break;
  }
  return count;
}

const compiled = new WeakMap<RegExp, RegExp>();

/** The pattern as it is searched: everywhere, in any case. */
function everywhere(pattern: RegExp): RegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(pattern.source, 'giu');
  compiled.set(pattern, made);
  return made;
}

const headerLine =
  /^[>\s*]*(?:from|to|cc|date|sent|subject|von|an|gesendet|datum|betreff|de|para|enviado|fecha|asunto|à|envoyé|objet)\s*:/i;
const separatorLine = /^[>\s]*[-_=]{3,}/;

/**
 * The sentences of a text, each on one line. The header lines of a forwarded mail are left out; a full stop within an
 * address or a number ends nothing.
 */
export function sentences(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => (headerLine.test(line) || separatorLine.test(line) ? '' : line.replace(/^[>\s]+/, '')));
  return lines
    .join('\n')
    .split(/\n\s*\n|(?<=[.!?:])\s+(?=[\p{Lu}¿¡"'„“])/u)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

/** The subject that a forwarded mail's header lines give, if any. */
export function forwardedSubject(text: string): string | undefined {
  const match = /^[> \t*]*(?:subject|betreff|asunto|objet)[ \t]*:\*?[ \t]*(\S.*)$/im.exec(text);
  return match?.[1]?.trim();
}

/** Significant words of a text, in lower case. */
export function significantWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return new Set(words.filter((word) => !insignificant.has(word)));
}

const insignificant = new Set(
  'please send this that with from your have will been attached attachment copy letter document documents dear kind regards their they them before after'.split(
    ' ',
  ),
);

/** One line of plain words, at most `longest` UTF-16 code units. */
export function oneLine(text: string, longest: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  if (line.length <= longest) return line;
  return line
    .slice(0, longest)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}
