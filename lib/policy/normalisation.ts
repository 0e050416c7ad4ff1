import { foldConfusables } from './confusables.ts';

/** Counted up with every change of what is normalised, since it changes what the rules match. */
export const normaliserVersion = 1;

// Control and format characters (zero-width, bidirectional, soft hyphen), variation selectors, fillers: none is seen.
const invisible = /[[\p{Cc}--[\t\n\v\f\r]]\p{Cf}\p{Default_Ignorable_Code_Point}\u115f\u1160\u3164\uffa0]/gv;
const marks = /\p{M}+/gu;
const blanks = /[^\S\n]+/g;
const asciiOnly = /^[\n\x20-\x7e]*$/;

/**
 * The forms of a text that the rules are matched on: compatibility forms, look-alikes, invisible characters and
 * accents undone, white space collapsed within each line, case folded. A text beyond ASCII has two, since some capitals look
 * like another letter than their small forms do (Cyrillic Н like H, н like n); a rule that matches either matches.
 * @param text attacker-controlled
 */
export function normalForms(text: string): readonly string[] {
  if (asciiOnly.test(text)) return [(text.includes('  ') ? collapse(text) : text).toLowerCase()];
  const visible = text.normalize('NFKC').replace(invisible, '');
  const plain = collapse(visible.normalize('NFKD').replace(marks, ''));
  const first = foldConfusables(foldConfusables(plain).toLowerCase());
  const second = foldConfusables(plain.toLowerCase());
  return first === second ? [first] : [first, second];
}

function collapse(text: string): string {
  return text.replace(blanks, ' ');
}
