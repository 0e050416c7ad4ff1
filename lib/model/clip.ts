/**
 * Shares a budget among texts so that short ones stay whole and long ones lose most.
 * @param lengths of the texts, in UTF-16 code units
 * @returns how much of each may stay; together at most `budget`
 */
export function fairShares(lengths: readonly number[], budget: number): number[] {
  const shares = lengths.map(() => 0);
  let left = Math.max(0, Math.floor(budget));
  const shortestFirst = lengths.map((_, index) => index).sort((a, b) => at(lengths, a) - at(lengths, b));
  for (const [position, index] of shortestFirst.entries()) {
    const share = Math.min(at(lengths, index), Math.floor(left / (lengths.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

const at = (list: readonly number[], index: number) => list[index] ?? 0;

/** The beginning of a text, at most `longest` UTF-16 code units, never half a character. */
export function clippedText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
}

/** A value with every long text in it cut short, for a summary. */
export function clippedValue(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return clippedText(value, longest);
  if (Array.isArray(value)) return value.map((element) => clippedValue(element, longest));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, clippedValue(member, longest)]),
  );
}
