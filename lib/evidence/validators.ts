import { type DoubtName, type Fact, promote } from '../provenance/trust.ts';
import type { Moment } from './moments.ts';
import type { ZonedTime } from './zones.ts';

/**
 * What keeps the words for a moment from meaning one instant only: the day must be certain (and agree with its weekday),
 * the hour must be certain, and the circle's zone must have that time exactly once.
 * @returns nothing for a moment that is certain
 */
export function momentDoubt(moment: Moment, time: ZonedTime): DoubtName | undefined {
  if (moment.dateDoubt !== undefined) return moment.dateDoubt;
  if (moment.start?.certain !== true) return moment.start?.doubt ?? 'half_of_day';
  return time.exact ? undefined : (time.doubt ?? 'zone_other');
}

/** Whether the words for a moment can mean one instant only. */
export function isCertainMoment(moment: Moment, time: ZonedTime): boolean {
  return momentDoubt(moment, time) === undefined;
}

/** What the words around a moment say of it. */
export interface LetterTerms {
  readonly doubt: DoubtName | undefined;
  /** Whether the letter says that something was called off or moved. */
  readonly changed: boolean;
  /** Whether it is one that may be chosen. */
  readonly offered: boolean;
  readonly start: ZonedTime;
  readonly now: number;
}

/** `certain-date`: a moment of a text that is certain, ahead, and not spoken of as cancelled, moved or offered. */
export function certainDate(facts: readonly Fact<'UNTRUSTED'>[], terms: LetterTerms): Fact[] {
  return raised(facts, 'certain-date', letterDoubt(terms));
}

function letterDoubt({ doubt, changed, offered, start, now }: LetterTerms): DoubtName | undefined {
  if (doubt !== undefined) return doubt;
  if (start.epochMilliseconds <= now) return 'past';
  if (changed) return 'changed';
  return offered ? 'offered' : undefined;
}

/** What a calendar says about an event, beside its times. */
export interface EventTerms {
  /** Why a time of it has no certain zone, if so. A whole day needs no zone. */
  readonly doubt: DoubtName | undefined;
  readonly cancelled: boolean;
  /** Whether it repeats, or replaces one time of something that repeats: more than one date belongs to it. */
  readonly recurring: boolean;
  readonly method: string | undefined;
}

/** `calendar-date`: an event of a calendar that is complete in itself, ahead, offered and not cancelled. */
export function calendarDate(
  facts: readonly Fact<'UNTRUSTED'>[],
  terms: EventTerms & { ahead: boolean; ordered: boolean },
): Fact[] {
  return raised(facts, 'calendar-date', eventDoubt(terms));
}

function eventDoubt(terms: EventTerms & { ahead: boolean; ordered: boolean }): DoubtName | undefined {
  const { method, doubt, ahead, ordered, cancelled, recurring } = terms;
  if (cancelled || method === 'CANCEL') return 'cancelled';
  if (method !== undefined && method !== 'REQUEST' && method !== 'PUBLISH') return 'answer';
  if (doubt !== undefined) return doubt;
  if (recurring) return 'repeats';
  if (!ordered) return 'order';
  return ahead ? undefined : 'past';
}

/** `certain-date` for a last day: the words can mean one day only, and it is not over. */
export function certainDeadline(fact: Fact<'UNTRUSTED'>, doubt: DoubtName | undefined): Fact {
  return raised([fact], 'certain-date', doubt)[0] ?? fact;
}

function raised(
  facts: readonly Fact<'UNTRUSTED'>[],
  validator: 'certain-date' | 'calendar-date',
  doubt: DoubtName | undefined,
): Fact[] {
  return facts.map((fact) => {
    const reason = fact.source.transcribed === true ? 'picture' : doubt;
    return reason === undefined ? promote(fact, validator) : { ...fact, doubt: reason };
  });
}

/** `person-answer`: what a person of the circle answered is what they said, and is a date where it is certain. */
export function personAnswer(fact: Fact<'UNTRUSTED'>): Fact<'CONTROLLED'> {
  return promote(fact, 'person-answer');
}
