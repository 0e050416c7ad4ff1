import { quoteForPeople } from '../evidence/quote.ts';
import type { Block } from './blocks.ts';
import type { Presentation, PresentedLine, PresentedOrigin } from './presentation.ts';

/**
 * A presentation as it stands in a mail. An entry of the circle stands as it is; everything that a mail or a model
 * wrote is quoted, so that nothing in it can be clicked or dialled: the page shows it to the letter.
 */
export function presentedBlocks(presentation: Presentation): Block[] {
  const { title, question, lines } = presentation;
  const fields = lines.map(fieldOf);
  const changed = lines.some((line) => line.origin.by !== 'circle' && safe(line) !== line.value);
  return [
    { is: 'heading', text: title },
    ...(question === undefined ? [] : [{ is: 'text', text: question.text } as const]),
    ...fields,
    ...(changed ? [{ is: 'text', text: hiddenRemark } as const] : []),
  ];
}

const hiddenRemark =
  'Links, addresses and phone numbers are taken out of this mail. The page shows every character as it would be used.';

function fieldOf(line: PresentedLine): Block {
  const remark = originRemark(line.origin);
  return { is: 'field', label: line.label, value: shownValue(line), remark };
}

function shownValue(line: PresentedLine): string {
  if (line.origin.by === 'circle') return line.value;
  if (line.files !== undefined) {
    return line.files
      .map(({ name, sha256 }) => `${quoteForPeople(name)} (digest ${sha256.slice(0, 12)})`)
      .join('\n');
  }
  return line.plain === undefined ? safe(line) : `${line.plain}\n${line.value}`;
}

function safe(line: PresentedLine): string {
  return quoteForPeople(line.value);
}

/** Where a value comes from, in a sentence. */
export function originRemark(origin: PresentedOrigin): string {
  switch (origin.by) {
    case 'circle':
      return origin.passage === undefined
        ? 'from your list; the letter does not name it'
        : `from your list; the letter says: “${quoteForPeople(origin.passage.quote)}”`;
    case 'document': {
      const { document, page, quote } = origin.passage;
      const checked = origin.checked ? 'checked by Caregate' : 'not checked';
      return `${checked}; from ${quoteForPeople(document)}, page ${page}: “${quoteForPeople(quote)}”`;
    }
    case 'header':
      return 'as the mail says; anyone can write that';
    case 'caregate':
      return 'found by Caregate';
    case 'model':
      return origin.how === 'wrote' ? 'written by the model' : 'chosen by the model';
  }
}
