import { findPhoneNumbersInText } from 'libphonenumber-js';
import { normaliseAddress } from '../mail/address.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import { amountsOf } from './amounts.ts';
import { instantOf, todayOf } from './appointments.ts';
import { draftFact, type Page } from './draft.ts';
import { dateLanguage } from './languages.ts';
import { momentsOf } from './moments.ts';
import { countryOf } from './particulars.ts';
import { limits } from './schema.ts';
import type { CaseDocument, DropReason } from './types.ts';
import { changeIn } from './wording.ts';

/** The kinds that a model may add. Identities of calendars, answers of people and zones are for code alone. */
export const claimKinds = [
  'appointment_title',
  'appointment_start',
  'appointment_end',
  'appointment_place',
  'appointment_person',
  'appointment_preparation',
  'appointment_change',
  'deadline',
  'date',
  'person',
  'organisation',
  'email_address',
  'phone_number',
  'postal_address',
  'identifier',
  'order_number',
  'receipt_number',
  'amount',
] as const satisfies readonly FactKind[];

/** A fact as a model states it. Nothing of it is believed. */
export interface Claim {
  readonly kind: (typeof claimKinds)[number];
  readonly value: string;
  readonly quote: string;
  /** The document's alias, and its page from 1. */
  readonly document: string;
  readonly page: number;
  /** The appointment of which it says more, by the group of known facts. */
  readonly group?: string | undefined;
}

export interface ClaimContext {
  readonly documents: readonly CaseDocument[];
  /** What code read already. */
  readonly facts: readonly Fact[];
  readonly circle: Circle;
  readonly now: number;
}

export type Judged = { readonly fact: Fact<'UNTRUSTED'> } | { readonly dropped: DropReason };

/**
 * Judges what a model claims: the quote must stand on the page letter by letter, and code must find the value in it. A
 * date is what our own reading makes of the quote. What holds is UNTRUSTED: no words of a model raise a fact.
 */
export function judgeClaim(claim: Claim, context: ClaimContext): Judged {
  const page = pageOf(claim, context.documents);
  if (page === undefined) return { dropped: 'DOCUMENT_UNKNOWN' };
  const index = claim.quote.trim() === '' ? -1 : page.text.indexOf(claim.quote);
  if (index === -1 || claim.quote.length > limits.quote) return { dropped: 'QUOTE_NOT_FOUND' };
  const value = valueIn(claim, context);
  if (value === undefined) return { dropped: 'VALUE_NOT_IN_QUOTE' };
  if (claim.group !== undefined && !context.facts.some(({ group }) => group === claim.group)) {
    return { dropped: 'GROUP_UNKNOWN' };
  }
  const drafted = draftFact(page, claim.kind, value, { index, length: claim.quote.length });
  const source = { ...drafted.source, quote: claim.quote };
  const group = claim.kind.startsWith('appointment_') ? claim.group : undefined;
  const fact = { ...drafted, source, group, ...(timed.has(claim.kind) ? { doubt: 'model' as const } : {}) };
  return isKnown(fact, context.facts) ? { dropped: 'KNOWN_ALREADY' } : { fact };
}

const timed: ReadonlySet<FactKind> = new Set(['appointment_start', 'appointment_end', 'deadline']);

function pageOf({ document: alias, page }: Claim, documents: readonly CaseDocument[]): Page | undefined {
  const document = documents.find((each) => each.alias === alias);
  const text = document?.pages[page - 1];
  if (document === undefined || text === undefined) return undefined;
  const read = document.transcribed?.includes(page) ? ({ transcribed: true } as const) : {};
  return { document: document.id, number: page, text, ...read };
}

function isKnown({ kind, value, source }: Fact, facts: readonly Fact[]): boolean {
  return facts.some(
    (known) => known.kind === kind && known.value === value && known.source.document === source.document,
  );
}

/** The value as code reads it out of the quote, or nothing where it is not there. */
function valueIn({ kind, value, quote }: Claim, { circle, now }: ClaimContext): string | undefined {
  switch (kind) {
    case 'appointment_start':
    case 'appointment_end':
    case 'deadline':
    case 'date':
      return timeIn(quote, value, kind, { circle, now });
    case 'phone_number':
      return phonesIn(quote, circle).find((number) => number === value.replace(/[^\d+]/g, ''));
    case 'email_address':
      return addressIn(quote, value);
    case 'amount':
      return amountsOf(quote, circle.currency).find((amount) => amount.value === value)?.value;
    case 'appointment_change':
      return changeIn(quote)?.value === value ? value : undefined;
    default:
      return wordsIn(quote, value);
  }
}

/** An instant must be the one that the quote states, and the quote must state one only. */
function timeIn(
  quote: string,
  value: string,
  kind: FactKind,
  context: { circle: Circle; now: number },
): string | undefined {
  const moments = momentsOf(quote, { language: dateLanguage(context.circle), today: todayOf(context) });
  const [moment, ...others] = moments;
  if (moment === undefined || others.length > 0) return undefined;
  const times = instantOf(moment, context.circle);
  const time = kind === 'appointment_end' ? times?.end : times?.start;
  const read = time?.value ?? (kind === 'appointment_end' ? undefined : moment.date.toString());
  if (read === undefined || (kind === 'appointment_start' && time === undefined)) return undefined;
  const same = read === value || (time !== undefined && time.epochMilliseconds === Date.parse(value));
  return same ? read : undefined;
}

function phonesIn(quote: string, circle: Circle): string[] {
  return findPhoneNumbersInText(quote, { defaultCountry: countryOf(circle), extended: true }).flatMap(
    ({ number }) => (number.isPossible() ? [number.number] : []),
  );
}

function addressIn(quote: string, value: string): string | undefined {
  const address = normaliseAddress(value);
  return address !== undefined && quote.toLowerCase().includes(address) ? address : undefined;
}

/** Words must stand in the quote as they are; only how lines break may differ. */
function wordsIn(quote: string, value: string): string | undefined {
  const plain = (text: string): string => text.replace(/\s+/gu, ' ').trim();
  const words = plain(value);
  return words !== '' && plain(quote).includes(words) ? words : undefined;
}
