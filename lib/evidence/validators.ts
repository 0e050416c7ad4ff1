import { type Fact, promote } from '../provenance/trust.ts';
import type { Moment } from './moments.ts';
import type { ZonedTime } from './zones.ts';

/**
 * Whether the words for a moment can mean one instant only: the day is certain (and agrees with its weekday), the hour
 * is certain, and the circle's zone has that time exactly once.
 */
export function isCertainMoment(moment: Moment, time: ZonedTime): boolean {
  return moment.dateCertain && moment.start?.certain === true && time.exact;
}

/** A 3 that was read as an 8 is as certain as any other date: what was read from a picture is for a person to confirm. */
const fromPicture = ({ source }: Fact): boolean => source.transcribed === true;

/** `certain-date`: a moment of a text that is certain, ahead, and not spoken of as cancelled, moved or a deadline. */
export function certainDate(
  facts: readonly Fact<'UNTRUSTED'>[],
  check: { certain: boolean; doubted: boolean; start: ZonedTime; now: number },
): Fact[] {
  const passes =
    check.certain && !check.doubted && check.start.epochMilliseconds > check.now && !facts.some(fromPicture);
  return passes ? facts.map((fact) => promote(fact, 'certain-date')) : [...facts];
}

/** What a calendar says about an event, beside its times. */
export interface EventTerms {
  /** Whether each time's zone is known, and has that time exactly once. A whole day needs no zone. */
  readonly resolved: boolean;
  readonly cancelled: boolean;
  /** Whether it repeats, or replaces one time of something that repeats: more than one date belongs to it. */
  readonly recurring: boolean;
  readonly method: string | undefined;
}

/** `calendar-date`: an event of a calendar that is complete in itself, ahead, offered and not cancelled. */
export function calendarDate(
  facts: readonly Fact<'UNTRUSTED'>[],
  check: EventTerms & { ahead: boolean; ordered: boolean },
): Fact[] {
  const offered = check.method === undefined || check.method === 'REQUEST' || check.method === 'PUBLISH';
  const passes =
    offered && check.resolved && check.ahead && check.ordered && !check.cancelled && !check.recurring;
  return passes ? facts.map((fact) => promote(fact, 'calendar-date')) : [...facts];
}

/** `person-answer`: what a person of the circle answered is what they said, and is a date where it is certain. */
export function personAnswer(fact: Fact<'UNTRUSTED'>): Fact<'CONTROLLED'> {
  return promote(fact, 'person-answer');
}
