/**
 * What is written in characters that nobody sees, and that a program reads all the same. The characters themselves are
 * taken out of every text; what they say is set aside like any other hidden text. Soft hyphens, joiners within words and
 * the filling behind a preview say nothing, and neither does the presentation of an emoji.
 */

/** Letters of a hidden alphabet: U+E0020 to U+E007E stand for the visible ones. The flags of England, Scotland and Wales are written with them. */
const tags = /(?<flag>\u{1f3f4}?)(?<letters>[\u{e0020}-\u{e007e}]+)\u{e007f}?/gu;
/** Variation selectors in a row: each may stand for one byte. One of them alone belongs to the character before it. */
const selectors = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;
/** More of several kinds in a row than any filling has: a message in two or more of them, as in zeros and ones. */
const row = /(?:[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]|\u034f){16,}/gu;
/** Marks that turn the order of letters around, up to where that ends: a person reads other words than a program. */
const turned = /(?:\u202d|\u202e)(?<words>[^\u202c\n]{1,1000})/gu;

const most = 50;

/**
 * What a text says in characters that nobody sees, piece by piece.
 * @param text attacker-controlled
 */
export function invisibleTexts(text: string): string[] {
  const pieces = [...tagged(text), ...selected(text), ...rows(text), ...turnedAround(text)];
  return pieces.slice(0, most);
}

function tagged(text: string): string[] {
  return [...text.matchAll(tags)].flatMap(({ groups }) => {
    const letters = [...(groups?.letters ?? '')].map((each) => (each.codePointAt(0) ?? 0) - 0xe0000);
    const said = String.fromCharCode(...letters.slice(0, 10_000));
    const isFlag = groups?.flag !== '' && /^[a-z]{2}[a-z0-9]{1,3}$/.test(said);
    return isFlag || said.trim() === '' ? [] : [said];
  });
}

function selected(text: string): string[] {
  return [...text.matchAll(selectors)].map(([found]) => {
    const bytes = [...found].map((each) => {
      const code = each.codePointAt(0) ?? 0;
      return code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16;
    });
    const said = new TextDecoder().decode(Uint8Array.from(bytes));
    return /[\p{L}\p{N}]{2}/u.test(said) ? said : named(found);
  });
}

function rows(text: string): string[] {
  return [...text.matchAll(row)].flatMap(([found]) => (new Set(found).size < 2 ? [] : [named(found)]));
}

function turnedAround(text: string): string[] {
  return [...text.matchAll(turned)].flatMap(({ groups }) => {
    const words = groups?.words ?? '';
    return /[\p{L}\p{N}]/u.test(words) ? [`[turned around] ${words}`] : [];
  });
}

/** What cannot be read as words is at least named, character by character. */
function named(characters: string): string {
  const names = [...characters].slice(0, 200).map((each) => {
    const code = each.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
  return names.join(' ');
}
