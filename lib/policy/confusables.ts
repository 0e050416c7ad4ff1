/**
 * Letters of other scripts that a reader takes for Latin ones, after Unicode's report on security mechanisms (UTS #39).
 * Each group names the Latin letters in order and, under each, what passes for it. Compatibility forms (full-width,
 * mathematical, circled) are not here: NFKC folds them.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аɑαᴀ⍺ꭺᎪАΑ',
  b: 'ЬвВΒʙᏴꓐƄьᖯ',
  c: 'сСϲϹᴄꮯᏟꓚⅽ',
  d: 'ԁԀᎠᗞꓓᴅɗđ',
  e: 'еЕΕєεҽᴇℯ℮ꓰᎬёѐ',
  f: 'ϝϜғꓝꬵƒ',
  g: 'ɡցԌᏀɢꓖǥ',
  h: 'һҺнНΗհᏂʜꓧᎻħ',
  i: 'іІιΙıɪӏᎥꓲⅰίї',
  j: 'јЈϳᴊꓙᎫȷ',
  k: 'кКκΚᴋᏦꓗĸқ',
  l: 'ⅼʟᏞꓡłլ',
  m: 'мМΜᴍᎷꓟⅿ',
  n: 'ոпΝηɴꓠήռ',
  o: 'оОοΟօσςᴏ௦०ỏøөӧꓳόօ',
  p: 'рРρΡᴘᏢꓑƿ',
  q: 'ԛԚգզ',
  r: 'гᴦᏒʀꓣꮁ',
  s: 'ѕЅꜱᏚꓢʂ',
  t: 'тТτΤᴛꓔᎢŧ',
  u: 'υսᴜꓴυύʋ',
  v: 'ѵѴνᴠꓦᏙⅴ',
  w: 'ԝԜѡωᴡꓪᎳώ',
  x: 'хХχΧꓫⅹ×',
  y: 'уУүΥγʏҮꓬύ',
  z: 'ᴢꓜᏃΖʐƶ',
  ss: 'ßẞ',
  ae: 'æÆ',
  oe: 'œŒ',
  '-': '‐‑‒–—―−﹘⁃',
  "'": '‘’ʼʹ′´',
  '"': '“”„″',
  '.': '․٠',
  '/': '⁄∕',
  ':': '։׃∶ː',
  '@': '＠',
};

const folded: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) =>
    Array.from(others, (other) => [other, latin] as const),
  ),
);

const anyLookAlike = new RegExp(`[${[...folded.keys()].join('')}]`, 'gu');

/** Replaces every look-alike by the Latin letter that it passes for. */
export function foldConfusables(text: string): string {
  return text.replace(anyLookAlike, (letter) => folded.get(letter) ?? letter);
}
