import { type CountryCode, findPhoneNumbersInText, isSupportedCountry } from 'libphonenumber-js';
import { normaliseAddress } from '../mail/address.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import { amountsOf } from './amounts.ts';
import { draftFact, type Page, type Stretch } from './draft.ts';
import { type Finding, findingOf } from './lines.ts';

const mostOfAKind = 30;

/**
 * What else a page names: people and organisations, how to reach them, numbers to quote, amounts. All of it stays
 * untrusted: that it is well formed says nothing about whose it is.
 *
 * @param page attacker-controlled
 */
export function particularsOf(page: Page, circle: Circle): Fact[] {
  const identifiers = identifiersOf(page.text);
  const phones = phonesOf(page.text, circle).filter(
    (phone) => !identifiers.some((each) => overlaps(each, phone)),
  );
  const found: readonly (readonly [FactKind, readonly Finding[]])[] = [
    ['person', named(page.text, person)],
    ['organisation', named(page.text, organisation)],
    ['identifier', identifiers],
    ['phone_number', phones],
    ['email_address', addressesOf(page.text)],
    ['amount', amountsOf(page.text, circle.currency)],
  ];
  return found.flatMap(([kind, findings]) =>
    distinct(findings)
      .slice(0, mostOfAKind)
      .map((finding) => draftFact(page, kind, finding.value, finding)),
  );
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.toReversed().map((finding) => [finding.value, finding])).values()].reverse();
}

function overlaps(left: Stretch, right: Stretch): boolean {
  return left.index < right.index + right.length && right.index < left.index + left.length;
}

function addressesOf(text: string): Finding[] {
  return [...text.matchAll(/[^\s<>()[\],;:"@]{1,64}@[^\s<>()[\],;:"@]{1,255}/gu)].flatMap((match) => {
    const words = match[0].replace(/[.!?'’]+$/u, '');
    const value = normaliseAddress(words);
    return value?.includes('.') ? [{ value, index: match.index, length: words.length }] : [];
  });
}

function phonesOf(text: string, { locale }: Circle): Finding[] {
  const region = locale.split('-')[1] ?? '';
  const country: CountryCode = isSupportedCountry(region) ? region : 'GB';
  const found = findPhoneNumbersInText(text, { defaultCountry: country, extended: true });
  // Not only numbers in use: those of examples and of new exchanges stand in no table.
  const plausible = found.filter(
    ({ number }) => number.isPossible() && !number.nationalNumber.startsWith('0'),
  );
  return plausible.map(({ number, startsAt, endsAt }) => ({
    value: number.number,
    index: startsAt,
    length: endsAt - startsAt,
  }));
}

const nhsNumber = /(?<![\d-])\d{3}[ -]?\d{3}[ -]?\d{4}(?![\d-])/g;
const subject =
  'our|your|booking|order|invoice|receipt|case|claim|policy|patient|hospital|account|customer|appointment';
const reference = new RegExp(
  String.raw`\b(?:(?:(?:${subject})\s+)?(?:ref(?:erence)?|number|no|id|mrn)\b(?:\s+(?:number|no))?|receipt|order|invoice|claim|case)\s*[.:#]{1,2}\s*(?<value>(?=[A-Z0-9/.-]*\d)[A-Z0-9](?:[A-Z0-9/-]|\.(?=\w)){2,30})`,
  'giu',
);

function identifiersOf(text: string): Finding[] {
  const nhs = [...text.matchAll(nhsNumber)].flatMap((match) => {
    const digits = match[0].replace(/\D/g, '');
    const spoken = /\bNHS\b[^\n]{0,40}$/i.test(text.slice(Math.max(0, match.index - 60), match.index));
    return spoken && isNhsNumber(digits)
      ? [{ value: `NHS ${digits}`, index: match.index, length: match[0].length }]
      : [];
  });
  const references = [...text.matchAll(reference)].flatMap((match) => {
    const value = match.groups?.value ?? '';
    return [{ value, index: match.index, length: match[0].length }].filter(
      (each) => !nhs.some((one) => overlaps(one, each)),
    );
  });
  return [...nhs, ...references];
}

/** Whether ten digits are an NHS number: the last is a check digit, modulo 11 over weights of 10 down to 2. */
export function isNhsNumber(digits: string): boolean {
  if (!/^\d{10}$/.test(digits) || /^(\d)\1{9}$/.test(digits)) return false;
  const sum = [...digits.slice(0, 9)].reduce((total, digit, at) => total + Number(digit) * (10 - at), 0);
  const check = (11 - (sum % 11)) % 11;
  return check !== 10 && check === Number(digits[9]);
}

const person =
  /\b(?<value>(?:Dr|Prof|Professor|Nurse|Sister|Mr|Mrs|Ms|Miss)\.?[ \t]+\p{Lu}[\p{L}'’-]*\.?(?:[ \t]+\p{Lu}[\p{L}'’-]+){0,2})/gu;
const organisation =
  /^[> \t•*-]{0,20}(?:clinic|hospital|practice|surgery|organisation|organization|provider|department|company|seller|shop|trust|praxis|klinik|hôpital|centro)[ \t]*:[ \t]*(?<value>\S[^\n]{1,119})/gimu;

function named(text: string, pattern: RegExp): Finding[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = match.groups?.value ?? '';
    const found = findingOf(text, match.index + match[0].lastIndexOf(value), value.length);
    return found === undefined ? [] : [found];
  });
}
