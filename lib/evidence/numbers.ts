import { RE2JS } from 're2js';
import type { Circle } from '../provenance/circle.ts';
import type { FactKind } from '../provenance/trust.ts';
import type { Stretch } from './draft.ts';
import type { Finding } from './lines.ts';

/** A number to quote: whose it is, by the word before it. */
export interface QuotedNumber extends Finding {
  readonly kind: Extract<FactKind, 'identifier' | 'order_number' | 'receipt_number'>;
}

const value = String.raw`(?<value>(?=[A-Z0-9/._-]{0,30}\d)[A-Z0-9](?:[A-Z0-9/_-]|\.(?=\w)){2,30})(?![\p{L}\d])(?! \d{3}(?!\d))`;
const numbered = String.raw`(?:\s*(?:number|num|no|nr|id|ref|reference|code|núm(?:ero)?|numéro|n\.?\s?[ºo°]|nº|n°))?`;
const sign = String.raw`\s*\.?\s*(?:[:#]\s*){1,2}`;
const bare = String.raw`\s*(?:number|num|no|nr|núm(?:ero)?|numéro|n\.?\s?[º°]|nº|n°)\.?\s+`;

function labelled(words: string): RegExp {
  return new RegExp(
    String.raw`(?<![\p{L}\d])(?:${words})(?:${numbered}${sign}|${bare}|\s*#\s*)${value}`,
    'giu',
  );
}

const labels: readonly (readonly [QuotedNumber['kind'], RegExp])[] = [
  [
    'order_number',
    labelled(
      '(?:your |purchase )?order|bestell(?:ung|ungs)?(?:[- ]?(?:nr|nummer))?|auftrags?(?:[- ]?(?:nr|nummer))?|(?:número de )?pedido|(?:numéro de )?commande',
    ),
  ],
  [
    'receipt_number',
    labelled(
      'receipt|invoice|rechnung(?:s)?(?:[- ]?(?:nr|nummer))?|beleg(?:[- ]?(?:nr|nummer))?|(?:número de )?factura|recibo|facture|reçu',
    ),
  ],
  [
    'identifier',
    labelled(
      '(?:(?:our|your|booking|case|claim|policy|patient|hospital|account|customer|appointment|member|group|confirmation|medical record|payment|nhs)\\s+)?(?:ref(?:erence)?|number|no|id|mrn)|claim|case|confirmation|mrn|aktenzeichen|geschäftszeichen|unser zeichen|(?:versicherten|patienten|kunden|vorgangs|fall|auftrags|mitglieds)[- ]?(?:nr|nummer)|referencia|expediente|historia clínica|(?:n\\.?\\s?[º°]\\s*(?:de\\s+)?)?(?:historia|expediente|paciente|afiliación|póliza)|localizador|référence|dossier|(?:n°\\s*(?:de\\s+)?)?(?:dossier|patient|adhérent|sécurité sociale)',
    ),
  ],
];

const nhsNumber = /(?<![\d-])\d{3}[ -]?\d{3}[ -]?\d{4}(?![\d-])/g;

/** The numbers of a text that somebody may be asked for, each once, the circle's own patterns and NHS numbers first. */
export function numbersIn(text: string, circle: Pick<Circle, 'identifiers'>): QuotedNumber[] {
  const found: QuotedNumber[] = [...ownNumbers(text, circle), ...nhsNumbers(text)];
  for (const [kind, pattern] of labels) {
    for (const match of text.matchAll(pattern)) {
      const words = match.groups?.value ?? '';
      const stretch = { index: match.index + match[0].length - words.length, length: words.length };
      if (isDate(words) || found.some((each) => overlaps(each, stretch))) continue;
      found.push({ kind, value: words, ...stretch });
    }
  }
  return found.sort((a, b) => a.index - b.index);
}

function overlaps(left: Stretch, right: Stretch): boolean {
  return left.index < right.index + right.length && right.index < left.index + left.length;
}

const isDate = (words: string): boolean => /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(words);

function nhsNumbers(text: string): QuotedNumber[] {
  return [...text.matchAll(nhsNumber)].flatMap((match) => {
    const digits = match[0].replace(/\D/g, '');
    const spoken = /\bNHS\b[^\n]{0,40}$/i.test(text.slice(Math.max(0, match.index - 60), match.index));
    if (!spoken || !isNhsNumber(digits)) return [];
    return [
      { kind: 'identifier' as const, value: `NHS ${digits}`, index: match.index, length: match[0].length },
    ];
  });
}

/** Whether ten digits are an NHS number: the last is a check digit, modulo 11 over weights of 10 down to 2. */
export function isNhsNumber(digits: string): boolean {
  if (!/^\d{10}$/.test(digits) || /^(\d)\1{9}$/.test(digits)) return false;
  const sum = [...digits.slice(0, 9)].reduce((total, digit, at) => total + Number(digit) * (10 - at), 0);
  const check = (11 - (sum % 11)) % 11;
  return check !== 10 && check === Number(digits[9]);
}

const compiled = new Map<string, RE2JS>();
const mostOwn = 20;

/** What the circle's own patterns match: an engine without backtracking, so that no pattern takes for ever. */
function ownNumbers(text: string, { identifiers = [] }: Pick<Circle, 'identifiers'>): QuotedNumber[] {
  return identifiers.flatMap(({ name, pattern }) => {
    const expression = compiled.get(pattern) ?? RE2JS.compile(pattern);
    compiled.set(pattern, expression);
    const matcher = expression.matcher(text);
    const found: QuotedNumber[] = [];
    while (found.length < mostOwn && matcher.find()) {
      const words = matcher.group() ?? '';
      if (words.trim() === '') continue;
      const value = `${name} ${words.replace(/\s+/g, ' ').trim()}`;
      found.push({ kind: 'identifier', value, index: matcher.start(), length: words.length });
    }
    return found;
  });
}
