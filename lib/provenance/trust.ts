import { CaregateError } from '../errors.ts';
import type { Sha256 } from './digest.ts';

/** From least to most. Extracted content is UNTRUSTED: assume that an adversary wrote it. */
export const trustLevels = ['UNTRUSTED', 'CONTROLLED', 'TRUSTED'] as const;
export type Trust = (typeof trustLevels)[number];

/** Whether `trust` is at least `level`. */
export function atLeast(trust: Trust, level: Trust): boolean {
  return trustLevels.indexOf(trust) >= trustLevels.indexOf(level);
}

/** Where a fact was read: a document of the case by its digest, a page from 1, and the words themselves. */
export interface Source {
  readonly document: Sha256;
  readonly page: number;
  /** Verbatim from the document, at most 300 characters. Attacker-controlled. */
  readonly quote: string;
  /** Whether the page is a picture that was transcribed: its words can be misread, so no validator raises such a fact. */
  readonly transcribed?: true | undefined;
}

export const factKinds = [
  'appointment_title',
  'appointment_start',
  'appointment_end',
  'appointment_place',
  'appointment_uid',
  'appointment_zone',
  'appointment_person',
  'appointment_preparation',
  'appointment_repeats',
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
  'original_sender',
  'original_date',
  'original_subject',
  'answer',
] as const;
export type FactKind = (typeof factKinds)[number];

/**
 * Why a time was not raised, as a code: what a person has to settle. `zone_missing` is a calendar's floating time,
 * `zone_unknown` names a zone that means nothing here, `zone_other` one that is not the circle's.
 */
export const doubtNames = [
  'day_month_order',
  'year_missing',
  'year_short',
  'weekday_disagrees',
  'half_of_day',
  'time_unclear',
  'time_skipped',
  'time_repeated',
  'zone_missing',
  'zone_unknown',
  'zone_other',
  'past',
  'changed',
  'cancelled',
  'offered',
  'repeats',
  'answer',
  'order',
  'picture',
  'model',
] as const;
export type DoubtName = (typeof doubtNames)[number];

/** A fact as extraction leaves it: attacker-controlled until a validator says otherwise. */
export interface Fact<T extends Trust = Trust> {
  /** `f1`, `f2`, … in the order of extraction; unique in its case. */
  readonly id: string;
  readonly kind: FactKind;
  /** Normalised by kind: an instant with zone offset, an ISO date, an address, an amount in minor units… */
  readonly value: string;
  readonly source: Source;
  readonly trust: T;
  /** Facts of one appointment share a group (`a1`, `a2`, …), so that a planner can keep them together. */
  readonly group?: string | undefined;
  /** The validator that raised the fact, where one did. */
  readonly validator?: ValidatorName | undefined;
  /** Why no validator raised a time, where one was asked. */
  readonly doubt?: DoubtName | undefined;
}

/** The deterministic checks that may raise a fact to CONTROLLED, by name. */
export const validatorNames = ['certain-date', 'calendar-date', 'person-answer'] as const;
export type ValidatorName = (typeof validatorNames)[number];

/**
 * Raises an UNTRUSTED fact to CONTROLLED on the word of a named validator. There is no such function for
 * TRUSTED: that originates in the circle and nowhere else.
 * @throws CaregateError `TRUST_REFUSED` for a validator that is not one of {@link validatorNames}, and for a fact that
 *   was read from a picture
 */
export function promote(fact: Fact<'UNTRUSTED'>, validator: ValidatorName): Fact<'CONTROLLED'> {
  const refused = !validatorNames.includes(validator) || fact.source.transcribed === true;
  if (refused || fact.trust !== 'UNTRUSTED') {
    throw new CaregateError('TRUST_REFUSED', `fact \`${fact.id}\` cannot be raised; use a named validator`);
  }
  return { ...fact, trust: 'CONTROLLED', validator };
}
