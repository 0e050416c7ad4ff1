import type { Stretch } from './draft.ts';

const boundary =
  /(?<!(?<!\p{L})(?:Dr|Dra|Mr|Mrs|Ms|Prof|Sr|Sra|St|No|Nr|Tel|Str|Bldg|Ste|Rd|Ave|Apt|approx|ca|bzw|z|B|d|h|M|Mme|med|n|p|a))[.!?](?=\s|$)|\n\s*\n|\n(?=[ \t]*[•*–-]\s)|:[ \t]*\n/gu;
const longestSentence = 280;

/** The sentences of a text, in its order, each with where it stands. What is longer than a sentence is left out. */
export function sentencesOf(text: string): Stretch[] {
  const sentences: Stretch[] = [];
  let from = 0;
  const add = (to: number): void => {
    if (to - from <= longestSentence && /\p{L}{2}/u.test(text.slice(from, to))) {
      sentences.push({ index: from, length: to - from });
    }
  };
  for (const { index, 0: mark } of text.matchAll(boundary)) {
    add(index);
    from = index + mark.length;
  }
  add(text.length);
  return sentences;
}
