import { Temporal } from '@js-temporal/polyfill';
import type { ParsedComponents, ParsedResult } from 'chrono-node';
import type { DoubtName } from '../provenance/trust.ts';
import { type ClockSpan, type ClockTime, clockSpans } from './clocktimes.ts';
import type { DateLanguage, DateParser } from './languages.ts';

/** A day, with or without a time, as a text states it. */
export interface Moment {
  /** Where its words stand in the text, the time's included. */
  readonly index: number;
  readonly length: number;
  readonly date: Temporal.PlainDate;
  /** Why the words may mean another day; nothing where they can mean this one only. */
  readonly dateDoubt?: DoubtName | undefined;
  readonly start?: ClockTime | undefined;
  readonly end?: ClockTime | undefined;
  /** Minutes from UTC, where the text names a zone. */
  readonly offset?: number | undefined;
}

/** No letter states more; a text that does is there to keep us busy. */
const mostMoments = 400;

export interface Calendar {
  readonly language: DateLanguage;
  /** The day that the text is read on, where the circle lives. */
  readonly today: Temporal.PlainDate;
}

/**
 * Every day that a text states, in its order. The library finds them; what it then fills in by guessing is not taken:
 * a day and a month must stand there, a year must stand there or follow from the weekday, and the time is read anew.
 *
 * @param text attacker-controlled
 */
export function momentsOf(text: string, calendar: Calendar): Moment[] {
  const reference = { instant: new Date(`${calendar.today.toString()}T12:00:00Z`), timezone: 0 };
  const moments: Moment[] = [];
  const parsers = calendar.language.parsers.filter(({ cue }) => cue === undefined || cue.test(text));
  for (const { chrono } of parsers) {
    for (const result of chrono.parse(text, reference, { forwardDate: true }).slice(0, mostMoments)) {
      const taken = moments.some((each) => overlaps(each, result.index, result.text.length));
      const moment = taken ? undefined : momentOf(text, result, { ...calendar, parsers });
      if (moment !== undefined) moments.push(moment);
    }
  }
  return moments.sort((a, b) => a.index - b.index);
}

function overlaps(moment: Moment, index: number, length: number): boolean {
  return index < moment.index + moment.length && moment.index < index + length;
}

interface Reading extends Calendar {
  /** The parsers whose languages the text may be in. */
  readonly parsers: readonly DateParser[];
}

function momentOf(text: string, result: ParsedResult, calendar: Reading): Moment | undefined {
  const { start } = result;
  const [day, month] = [start.get('day'), start.get('month')];
  if (!start.isCertain('day') || !start.isCertain('month') || day === null || month === null)
    return undefined;
  if (!new RegExp(`(?<!\\d)0?${day}(?!\\d)`).test(result.text)) return undefined; // counted, as in "in two weeks"
  const stated = statedYear(result, start);
  const weekdays = weekdaysNear(text, result, calendar.parsers);
  const date = dayOf(stated, month, day, calendar.today);
  if (date === undefined) return undefined;
  const time = timeOf(text, result, calendar.language);
  return {
    index: Math.min(result.index, time.index),
    length: Math.max(result.index + result.text.length, time.end) - Math.min(result.index, time.index),
    date,
    dateDoubt: doubtOf(date, stated, weekdays, swappable(result.text, calendar.language)),
    ...time.read,
    offset: start.isCertain('timezoneOffset') ? (start.get('timezoneOffset') ?? undefined) : undefined,
  };
}

function doubtOf(
  date: Temporal.PlainDate,
  year: number | 'short' | undefined,
  weekdays: readonly number[],
  swaps: boolean,
): DoubtName | undefined {
  if (!weekdays.every((each) => each === date.dayOfWeek)) return 'weekday_disagrees';
  if (year === 'short') return 'year_short';
  if (weekdays.length > 0) return undefined;
  if (year === undefined) return 'year_missing';
  return swaps ? 'day_month_order' : undefined;
}

/** The year where it stands in the text; `short` where only its last digits do. The library reads `7 Dec 10-11:30` as 2010. */
function statedYear(result: ParsedResult, start: ParsedComponents): number | 'short' | undefined {
  const year = start.get('year');
  if (!start.isCertain('year') || year === null) return undefined;
  if (result.text.includes(String(year))) return year;
  return /\d[./-]\d{1,2}[./-]\d{2}(?!\d)/.test(result.text) ? 'short' : undefined;
}

/** The day in its year, or the next such day where the year is left open. No such day in that year: nothing. */
function dayOf(
  year: number | 'short' | undefined,
  month: number,
  day: number,
  today: Temporal.PlainDate,
): Temporal.PlainDate | undefined {
  const inYear = (candidate: number): Temporal.PlainDate | undefined => {
    try {
      return Temporal.PlainDate.from({ year: candidate, month, day }, { overflow: 'reject' });
    } catch {
      return undefined;
    }
  };
  if (typeof year === 'number') return inYear(year);
  const soon = inYear(today.year);
  return soon !== undefined && Temporal.PlainDate.compare(soon, today) >= 0 ? soon : inYear(today.year + 1);
}

/** `03/04/2027` is another day elsewhere, and letters cross borders: such a date is never certain by itself. */
function swappable(text: string, language: DateLanguage): boolean {
  if (/\d{4}-\d{2}-\d{2}/.test(text)) return false;
  const [, first = '', separator, second = ''] = /(?<!\d)(\d{1,2})([./-])(\d{1,2})(?!\d)/.exec(text) ?? [];
  const dotted = separator === '.' && !language.monthFirst;
  return (
    !dotted && first !== '' && Number(first) <= 12 && Number(second) <= 12 && Number(first) !== Number(second)
  );
}

/** The weekdays that stand in or beside a date. */
function weekdaysNear(
  text: string,
  { index, text: words }: ParsedResult,
  parsers: readonly DateParser[],
): number[] {
  const before = /(\p{L}{2,})[.,]?\s*(?:,|the|den|dem|le|el|o|il|día)?\s*$/iu.exec(
    text.slice(Math.max(0, index - 24), index),
  );
  const after = /^\s*[,(]\s*(\p{L}{2,})/u.exec(text.slice(index + words.length, index + words.length + 24));
  const near = [before?.[1], after?.[1], ...(words.match(/\p{L}{2,}/gu) ?? [])];
  const named = (word: string): number[] => {
    const days = parsers.map(({ weekdays }) => weekdays.get(word.toLowerCase()));
    return days.filter((day) => day !== undefined).slice(0, 1);
  };
  return near.flatMap((word) => named(word ?? ''));
}

/** The name of a zone behind a time. Which one it is the library says of few, so that the time is not certain. */
const elsewhere =
  /^[\s,(–-]*(?:(?:\p{Lu}\p{L}+ ){1,3}Time\b|(?:UTC|GMT)\s?[+−-]\s?\d|(?!AT\b)\p{Lu}{1,4}T\b(?!\p{L})|\p{Lu}\p{L}+\/\p{Lu}\p{L}+)/u;

interface TimeFound {
  readonly index: number;
  readonly end: number;
  readonly read: Pick<Moment, 'start' | 'end'>;
}

const joinAfter =
  /^\s*(?:[,;|(·⋅•–—-]\s*)?(?:(?:at|@|um|à|a las|alle(?: ore)?|om|kl\.?|from|von|ab|de|time|start(?:s|ing)?|uhrzeit|zeit|heure|hora|ora|tijd)\b\s*[:.-]?\s*){0,2}$/iu;
const joinBefore = /^\s*[,;]?\s*(?:(?:on|am|den|le|el|il|op|date|datum|fecha|data)\b\s*[:.-]?\s*){0,2}$/iu;

/** The time that belongs to a date: among its words, or right after or before them, a label between them allowed. */
function timeOf(text: string, result: ParsedResult, language: DateLanguage): TimeFound {
  const start = result.index;
  const end = start + result.text.length;
  const from = Math.max(0, start - 60);
  const window = `${text.slice(from, start)}${withoutDates(result.text)}${text.slice(end, end + 60)}`;
  const spans = clockSpans(window, language.twentyFourHours).map((span) => ({
    ...span,
    index: span.index + from,
  }));
  const inside = spans.find((span) => span.index >= start && span.index < end);
  const next = spans.find((span) => span.index >= end && joinAfter.test(text.slice(end, span.index)));
  const previous = spans.findLast((span) => {
    const stop = span.index + span.length;
    return stop <= start && joinBefore.test(text.slice(stop, start));
  });
  const span = inside ?? next ?? previous;
  const guessed = result.start.isCertain('hour');
  if (span === undefined)
    return { index: start, end, read: guessed ? { start: doubtful(result.start) } : {} };
  const agrees = !guessed || inside === undefined || sameTime(span, result);
  const doubt = timeDoubt(text, span, agrees, result, spans);
  const first = doubt === undefined ? span.start : { ...span.start, certain: false, doubt };
  return {
    index: Math.min(start, span.index),
    end: Math.max(end, span.index + span.length),
    read: { start: first, end: span.end },
  };
}

const arrival =
  /(?<!\p{L})(?:arrive|arrival|check[- ]?in|report|llegue|preséntese|acuda|présente[rz]|erscheinen|eintreffen|kommen sie)(?!\p{L})[^.!?\n]{0,40}$/iu;

/** What else may be meant by a time: another zone, another time beside it, or the time to be there before it. */
function timeDoubt(
  text: string,
  span: ClockSpan,
  agrees: boolean,
  result: ParsedResult,
  spans: readonly ClockSpan[],
): DoubtName | undefined {
  const stop = span.index + span.length;
  const rest = text.slice(stop, Math.max(stop, result.index + result.text.length) + 60);
  if (!result.start.isCertain('timezoneOffset') && elsewhere.test(rest)) return 'zone_other';
  if (!agrees || /^\s*(?:or|oder|ou|o|\/)\s/i.test(rest.slice(0, 8))) return 'time_unclear';
  const others = spans.some(({ index }) => index !== span.index);
  const early =
    others && arrival.test(text.slice(Math.max(0, Math.min(span.index, result.index) - 60), span.index));
  return early ? 'time_unclear' : undefined;
}

/** The library reads `10 h 30` as ten o'clock: where it stops earlier, only the hour has to agree. */
function sameTime(span: ClockSpan, { start, index, text }: ParsedResult): boolean {
  const longer = span.index + span.length > index + text.length;
  return span.start.hour === start.get('hour') && (longer || span.start.minute === start.get('minute'));
}

function doubtful(components: ParsedComponents): ClockTime {
  return {
    hour: components.get('hour') ?? 0,
    minute: components.get('minute') ?? 0,
    certain: false,
    doubt: 'time_unclear',
  };
}

/** The words of a date without its numbers, so that `04.03` is not taken for four minutes past three. */
function withoutDates(words: string): string {
  const blank = (match: string): string => ' '.repeat(match.length);
  return words.replace(/\d{4}-\d{2}-\d{2}T?|\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4}|(?=\D|$)\.?)/g, (match) =>
    /^\d{1,2}[.]\d{2}$/.test(match) ? match : blank(match),
  );
}
