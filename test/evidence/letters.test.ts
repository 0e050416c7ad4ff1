import { describe, expect, it, vi } from 'vitest';
import { careLetters, compare, factsOfLetter } from '../support/carefacts.ts';

vi.setConfig({ testTimeout: 60_000 });
const letters = careLetters();
// A photograph takes seconds to read: transcription.test.ts does that, once, and compares as here.
const read = letters.filter(({ photographed }) => !photographed || process.env.CAREGATE_FULL === '1');
const shown = ({ kind, value }: { kind: string; value: string }): string => `${kind} ${value}`;

describe('our own invented care mails', () => {
  it('are at least 25, in four languages, and one of them is a photograph', () => {
    expect(letters.length).toBeGreaterThanOrEqual(25);
    expect(letters.filter(({ photographed }) => photographed)).toHaveLength(1);
    const languages = letters.map(({ circle }) => circle.locale.slice(0, 2));
    expect(new Set(languages)).toEqual(new Set(['en', 'es', 'de', 'fr']));
  });

  it.each(read.map((letter) => [letter.name, letter] as const))(
    '%s: nothing is raised that a person would not, and all that is expected is found',
    async (_, letter) => {
      const { wronglyRaised, missed, notRaised } = compare(letter.expected, await factsOfLetter(letter));
      expect(wronglyRaised.map(shown)).toEqual([]);
      expect({ missed: missed.map(shown), notRaised: notRaised.map(shown) }).toEqual({
        missed: [],
        notRaised: [],
      });
    },
  );
});
