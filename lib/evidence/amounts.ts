import type { Finding } from './lines.ts';

const symbols: Readonly<Record<string, string>> = { '£': 'GBP', '€': 'EUR', '₹': 'INR', '¥': 'JPY' };
const codes = 'GBP|EUR|USD|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|JPY|INR|ZAR|SGD';
const number = String.raw`\d{1,3}(?:[.,'’  \u202f]\d{3})+(?:[.,]\d{1,2})?|\d{1,9}(?:[.,]\d{1,2})?`;
const amount = new RegExp(
  String.raw`(?<![\p{L}\d])(?<before>${codes}|[A-Z]{0,3}\$|[£€₹¥])\s?(?<first>${number})(?![\d%\p{L}]|[.,]\d)|(?<![\p{L}\d.,])(?<last>${number})\s?(?<after>(?:${codes})(?!\p{L})|[£€₹¥$](?!\p{L}|\d))`,
  'gu',
);

/**
 * Every amount of money of a text, as its currency and minor units: `GBP 12999` for £129.99.
 * @param currency the circle's, which decides whose dollars `$` are
 */
export function amountsOf(text: string, currency: string): Finding[] {
  return [...text.matchAll(amount)].flatMap((match) => {
    const { before, first, last, after } = match.groups ?? {};
    const code = currencyOf(before ?? after ?? '', currency);
    const units = minorUnits(first ?? last ?? '', digitsOf(code));
    return units === undefined
      ? []
      : [{ value: `${code} ${units}`, index: match.index, length: match[0].length }];
  });
}

const dollars = new Set(['USD', 'CAD', 'AUD', 'NZD', 'SGD']);
const marked: Readonly<Record<string, string>> = {
  US: 'USD',
  C: 'CAD',
  CA: 'CAD',
  A: 'AUD',
  AU: 'AUD',
  NZ: 'NZD',
  S: 'SGD',
};

function currencyOf(mark: string, own: string): string {
  if (mark.endsWith('$')) return marked[mark.slice(0, -1)] ?? (dollars.has(own) ? own : 'USD');
  return symbols[mark] ?? mark;
}

const digits = new Map<string, number>();

function digitsOf(code: string): number {
  const known = digits.get(code) ?? lookUpDigits(code);
  digits.set(code, known);
  return known;
}

function lookUpDigits(code: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
      .maximumFractionDigits ?? 2
  );
}

/**
 * A separator with three digits behind it groups thousands, with one or two it parts the fraction: `€1,399` is not one
 * euro and forty cents.
 */
function minorUnits(text: string, digits: number): number | undefined {
  const [, whole = '', fraction = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/u.exec(text) ?? [];
  if (fraction.length > digits) return undefined;
  const units = Number(whole.replace(/\D/g, '') + fraction.padEnd(digits, '0'));
  return Number.isSafeInteger(units) ? units : undefined;
}
