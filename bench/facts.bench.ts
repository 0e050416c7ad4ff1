import { factKinds } from '../lib/provenance/trust.ts';
import { type Comparison, careLetters, compare, factsOfLetter } from '../test/support/carefacts.ts';

export const title = 'facts: what code reads out of our invented care mails (test/evidence/letters)';

export async function measure(): Promise<readonly string[]> {
  const letters = careLetters();
  const comparisons: Comparison[] = [];
  const started = performance.now();
  let read = 0;
  let raised = 0;
  for (const letter of letters) {
    const facts = await factsOfLetter(letter);
    read += facts.length;
    raised += facts.filter(({ trust }) => trust === 'CONTROLLED').length;
    comparisons.push(compare(letter.expected, facts));
  }
  const seconds = (performance.now() - started) / 1000;
  const sum = (count: (each: Comparison) => number): number =>
    comparisons.reduce((total, each) => total + count(each), 0);
  const found = sum((each) => each.found.length);
  const expected = found + sum((each) => each.missed.length);
  const wrong = sum((each) => each.wronglyRaised.length);
  return [
    `mails ${letters.length}, facts read ${read}, expected by a person ${expected}, ${seconds.toFixed(2)} s`,
    `recall            ${percent(found, expected)} (${found} of ${expected})`,
    `precision         ${percent(read - sum((each) => each.extra.length), read)} of all facts`,
    `of CONTROLLED     ${percent(raised - wrong, raised)} (${raised} raised, ${wrong} of them wrongly)`,
    ...byKind(comparisons),
  ];
}

function byKind(comparisons: readonly Comparison[]): string[] {
  return factKinds.flatMap((kind) => {
    const found = comparisons.flatMap((each) => each.found.filter((fact) => fact.kind === kind)).length;
    const missed = comparisons.flatMap((each) => each.missed.filter((fact) => fact.kind === kind)).length;
    if (found + missed === 0) return [];
    return [`  ${kind.padEnd(24)} ${percent(found, found + missed).padStart(7)} of ${found + missed}`];
  });
}

function percent(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((100 * part) / whole).toFixed(1)} %`;
}
