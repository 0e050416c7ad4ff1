import { type CountryCode, findPhoneNumbersInText, isSupportedCountry } from 'libphonenumber-js';
import { normaliseAddress } from '../mail/address.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import { postalAddressesIn } from './addresses.ts';
import { amountsOf } from './amounts.ts';
import { draftFact, type Page, type Stretch } from './draft.ts';
import type { Finding } from './lines.ts';
import { numbersIn } from './numbers.ts';
import { organisationsIn } from './organisations.ts';
import { peopleIn } from './people.ts';

const mostOfAKind = 30;

/**
 * What else a page names: people and organisations, how to reach them, numbers to quote, amounts. All of it stays
 * untrusted: that it is well formed says nothing about whose it is.
 *
 * @param page attacker-controlled
 */
export function particularsOf(page: Page, circle: Circle): Fact[] {
  const numbers = numbersIn(page.text, circle);
  const phones = phonesOf(page.text, circle).filter(
    (phone) => !numbers.some((each) => overlaps(each, phone)),
  );
  const ofKind = (kind: FactKind): Finding[] => numbers.filter((number) => number.kind === kind);
  const found: readonly (readonly [FactKind, readonly Finding[]])[] = [
    ['person', peopleIn(page.text)],
    ['organisation', organisationsIn(page.text)],
    ['postal_address', postalAddressesIn(page.text)],
    ['identifier', ofKind('identifier')],
    ['order_number', ofKind('order_number')],
    ['receipt_number', ofKind('receipt_number')],
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

/** Dates and file numbers that begin with a year. */
const notDialled = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^(?:19|20)\d{2}\s?[/-]/;

/** The country whose numbers need no code where a circle lives. */
export function countryOf({ locale }: Pick<Circle, 'locale'>): CountryCode {
  const region = locale.split('-')[1] ?? '';
  return isSupportedCountry(region) ? region : 'GB';
}

function phonesOf(text: string, circle: Circle): Finding[] {
  const found = findPhoneNumbersInText(text, { defaultCountry: countryOf(circle), extended: true });
  // Not only numbers in use: those of examples and of new exchanges stand in no table.
  const plausible = found.filter(({ number, startsAt, endsAt }) => {
    const { nationalNumber: digits } = number;
    const dated = notDialled.test(text.slice(startsAt, endsAt));
    return number.isPossible() && digits.length >= 7 && !digits.startsWith('0') && !dated;
  });
  return plausible.map(({ number, startsAt, endsAt }) => ({
    value: number.number,
    index: startsAt,
    length: endsAt - startsAt,
  }));
}
