import type { Finding } from './lines.ts';

/** Post codes by the way countries write them; on the continent the town stands behind the code. */
const code =
  /(?<![\p{L}\d])(?:(?<british>[A-Z]{1,2}\d[A-Z\d]?[^\S\n]?\d[A-Z]{2})|(?<american>[A-Z]{2}[^\S\n]\d{5}(?:-\d{4})?)|(?<continental>(?:[A-Z]{1,2}-)?\d{5}[^\S\n]\p{Lu}[\p{L}'’-]+(?:[^\S\n](?:am|an der|de|del|la|sur|sous|\p{Lu}[\p{L}'’-]+)){0,4}(?:[^\S\n]\(?\p{Lu}\p{L}+\)?)?))(?![\p{L}\d])/gu;
const street =
  /(?:\d[\p{L}\d/-]*,?\s+(?:bis\s+|ter\s+)?\p{L}|\p{L}\.?,?\s+(?:n\.?º\s*|nº\s*)?\d{1,5}[a-z]?(?!\d)|(?:street|road|lane|avenue|square|gardens|walk|hill|terrace|p\.?\s?o\.?\s?box)\b|apartado)/iu;
const streetWord =
  /(?:street|st\.?|road|rd\.?|lane|avenue|ave\.?|drive|way|close|court|boulevard|blvd\.?|square|parkway|hill|terrace|gardens|row|walk|mews|straße|strasse|str\.|weg|platz|allee|gasse|damm|ring|ufer|rue|place|chemin|quai|cours|impasse|calle|c\/|avda\.?|avenida|plaza|paseo|camino|p\.?o\.? box)(?![\p{L}])/iu;
const lead =
  /^.*?(?:\b(?:at|to|address|where|location|adresse|anschrift|dirección|lieu|ort|an|in|à|en)\s*:?\s+)(?=\p{Lu}|\d)/iu;
const mostParts = 4;
const longest = 200;

/** Every postal address of a text: what stands before a post code up to a street, and the code. */
export function postalAddressesIn(text: string): Finding[] {
  return [...text.matchAll(code)].flatMap((match) => addressBefore(text, match) ?? []);
}

function addressBefore(text: string, match: RegExpExecArray): Finding | undefined {
  const end = match.index + match[0].length;
  const floor = Math.max(0, match.index - longest, text.lastIndexOf('\n\n', match.index) + 1);
  let at = match.index;
  for (let part = 0; part < mostParts && at > floor; part += 1) {
    const cut = Math.max(text.lastIndexOf(',', at - 2), text.lastIndexOf('\n', at - 2), floor - 1);
    const words = text.slice(cut + 1, at);
    at = cut + 1;
    if (/[!?]|[.:;]\s+\p{Lu}\p{Ll}+\s+\p{Ll}+\s+\p{Ll}/u.test(words)) return undefined;
    if (street.test(words) && streetWord.test(words)) return finding(text, at, end);
  }
  return undefined;
}

function finding(text: string, from: number, end: number): Finding {
  const words = text.slice(from, end);
  const labelled = lead.exec(words.split(/[,\n]/)[0] ?? '')?.[0].length ?? 0;
  const blank = /^[\s>•*:–-]*/u.exec(words.slice(labelled))?.[0].length ?? 0;
  const index = from + labelled + blank;
  const value = text
    .slice(index, end)
    .split(/\s*[,\n]\s*/)
    .map((part) =>
      part
        .replace(/^[>\s]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => part !== '')
    .join(', ');
  return { value, index, length: end - index };
}
