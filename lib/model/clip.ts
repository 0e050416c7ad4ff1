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

/**
 * How much of all documents' text one request shows, in UTF-16 code units, and of how many documents. With ids and JSON
 * around it a request stays near 60 kB for plain Latin text.
 */
const pageBudget = 40_000;
export const mostDocuments = 40;

/** The pages that a request shows of the first documents: each as much as its share of the budget is. */
export function clippedPages(documents: readonly { readonly pages: readonly string[] }[]): string[][] {
  const shown = documents.slice(0, mostDocuments);
  const shares = fairShares(
    shown.flatMap(({ pages }) => pages.map((page) => page.length)),
    pageBudget,
  );
  let page = 0;
  return shown.map(({ pages }) => pages.map((text) => clippedText(text, shares[page++] ?? 0)));
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
