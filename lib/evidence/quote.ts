import { cutText, visibleText } from '../mail/characters.ts';

const longestQuote = 5000;

/** What stands where something was taken out. */
export const marks = {
  link: '[link removed]',
  address: '[address removed]',
  number: '[number removed]',
} as const;

/**
 * Text from a mail, made safe to show in a mail or on a page of ours: links, mail addresses and phone numbers are taken
 * out, so that nobody can borrow our voice to have something clicked or dialled; what cannot be seen is taken out
 * too, and quotation marks cannot close ours. It is plain text still: a page escapes it.
 *
 * @param text attacker-controlled
 * @param longest in UTF-16 code units; what is longer ends with an ellipsis
 */
export function quoteForPeople(text: string, longest = longestQuote): string {
  const visible = visibleText(text.toWellFormed().normalize('NFKC')).replace(/[“”„‟«»]/g, '"');
  // Cut first, so that an endless text costs nothing; cut again, because a mark may be longer than what it replaces.
  const bounded = cutText(visible, 2 * longest).replace(scheme, marks.link);
  const clean = cleaned(bounded).trim();
  return clean.length <= longest ? clean : `${cutText(clean, longest - 1)}…`;
}

/** What one pass takes out may leave a neighbour standing that is a link now: passes go on until none changes it. */
const mostPasses = 8;

function cleaned(text: string): string {
  let clean = text;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const next = withoutNumbers(withoutDomains(clean.replace(address, marks.address)));
    if (next === clean) break;
    clean = next;
  }
  return clean;
}

const at = String.raw`(?:@|\s*[([{<]\s*(?:at|@)\s*[)\]}>]\s*)`;
const dot = String.raw`(?:[.。․]|\s*[([{<]\s*(?:dot|\.)\s*[)\]}>]\s*)`;
const address = new RegExp(
  String.raw`[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]{0,64}${at}[\p{L}\p{N}._-]{0,255}(?:${dot}[\p{L}\p{N}-]{1,63})*`,
  'giu',
);

const scheme =
  /(?:[\p{L}\p{N}+.-]{0,64}:\/\/|\b(?:mailto|tel|sms|callto|skype|whatsapp|facetime|javascript|data|file):(?=\S)|www\d?\.)\S*/giu;
const bareDomain = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}${dot}){1,8}(?<ending>xn--[a-z0-9-]{1,59}|\p{L}{2,24})(?<rest>[:/?#]\S*)?(?![\p{L}\p{N}])`,
  'giu',
);
/** Endings that are no top-level domain: a mail program makes no link of a file's name. */
const files =
  /^(?:pdf|ics|txt|rtf|csv|docx?|xlsx?|pptx?|odt|ods|jpe?g|png|gif|heic|tiff?|bmp|webp|eml|msg|html?|xml|json|dat)$/i;

function withoutDomains(text: string): string {
  return text.replace(bareDomain, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { ending: string; rest?: string };
    return files.test(groups.ending) && groups.rest === undefined ? match : marks.link;
  });
}

/** Dates, times and amounts look like phone numbers, and people need to read them. */
const dates = String.raw`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?:,? \d{1,2}[:.]\d{2})?`;
const amounts = String.raw`\d{1,3}(?:[.,  ]\d{3})+[.,]\d{2}`;
const dialled = String.raw`[+(]{0,2}\p{Nd}(?:[\s().\/‐-―−·-]{0,3}\p{Nd}){5,24}`;
const numbers = new RegExp(
  String.raw`(?<!\p{Nd})(?<kept>(?:${dates}|${amounts})(?!\p{Nd}|[-.\/]\p{Nd}))|(?<taken>${dialled})`,
  'gu',
);
const called =
  /(?<cue>\b(?:call|ring|dial|phone|telephone|tel|text|sms|fax|mobile|whatsapp)\b[\p{L}\s.:,'’]{0,20}?)(?<digits>[+(]{0,2}\p{Nd}[\p{Nd}\s()./-]*\p{Nd})/giu;
const lettered = /\b(?:0|1)[-. ]?\d{3}[-. ][A-Z]{5,8}\b/g;

function withoutNumbers(text: string): string {
  const taken = text.replace(numbers, (match: string, ...rest: unknown[]) => {
    const { kept } = rest.at(-1) as { kept?: string };
    return kept ?? (isPhone(match) ? marks.number : match);
  });
  return taken.replace(lettered, marks.number).replace(called, (match: string, ...rest: unknown[]) => {
    const { cue, digits } = rest.at(-1) as { cue: string; digits: string };
    return digits.length < 3 || new RegExp(`^(?:${dates})`).test(digits.trim())
      ? match
      : `${cue}${marks.number}`;
  });
}

/** From seven digits on, anything can be dialled. Six may be a sort code or a date, and are shown. */
function isPhone(match: string): boolean {
  return [...match.matchAll(/\p{Nd}/gu)].length >= 7;
}
