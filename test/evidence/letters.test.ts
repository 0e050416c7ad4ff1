import { describe, expect, it, vi } from 'vitest';
import { careLetters, compare, factsOfLetter } from '../support/carefacts.ts';

vi.setConfig({ testTimeout: 60_000 });
const letters = careLetters();
const shown = ({ kind, value }: { kind: string; value: string }): string => `${kind} ${value}`;

describe('our own invented care mails', () => {
  it('are at least 25, in four languages', () => {
    expect(letters.length).toBeGreaterThanOrEqual(25);
    const languages = letters.map(({ circle }) => circle.locale.slice(0, 2));
    expect(new Set(languages)).toEqual(new Set(['en', 'es', 'de', 'fr']));
  });

  it.each(letters.map((letter) => [letter.name, letter] as const))(
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
