import { Temporal } from '@js-temporal/polyfill';
import type { Circle } from '../provenance/circle.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import { deadlineOf, isDeadline } from './deadlines.ts';
import { draftFact, type Page } from './draft.ts';
import { dateLanguage } from './languages.ts';
import { type Finding, PageLines } from './lines.ts';
import { type Moment, momentsOf } from './moments.ts';
import { clinicianOf } from './people.ts';
import { placeOf } from './places.ts';
import { preparationsIn } from './preparations.ts';
import { type Surroundings, sentenceStart, titleOf } from './titles.ts';
import { certainDate, momentDoubt } from './validators.ts';
import { isForwardHeader, isOffer, readsAsLimit, speaksOfAppointment } from './wording.ts';
import { inDoubt, offsetTime, type ZonedTime, zonedTime } from './zones.ts';

/** One appointment that a letter states. */
export interface LetterAppointment {
  readonly start: string;
  readonly facts: readonly Fact[];
}

export interface LetterTimes {
  readonly appointments: readonly LetterAppointment[];
  /**
   * Last days, and days and times that are not read as an appointment's. Of these only a last day is ever raised:
   * nobody checked what the others are dates of.
   */
  readonly dates: readonly Fact[];
}

export interface ReadingContext {
  readonly circle: Circle;
  readonly now: number;
  /** Whether the mail says anywhere that something was called off or moved. */
  readonly changed: boolean;
}

/**
 * The appointments and other dates of a page of a letter.
 * @param page attacker-controlled
 */
export function timesOf(page: Page, context: ReadingContext): LetterTimes {
  const today = todayOf(context);
  const moments = momentsOf(page.text, { language: dateLanguage(context.circle), today });
  const lines = new PageLines(page.text);
  const located = moments.map((moment) => ({ moment, time: instantOf(moment, context.circle) }));
  const ahead = appointmentsAmong(page.text, lines, located, context);
  const rest = located.filter((each) => !ahead.includes(each));
  return {
    appointments: ahead.map(({ moment, time }, index) =>
      appointmentOf(page, moment, time, {
        ...context,
        around: surroundings(page.text, lines, moment, [ahead[index - 1]?.moment, ahead[index + 1]?.moment]),
      }),
    ),
    dates: rest.map(({ moment, time }) =>
      !isForwardHeader(lines.texts, lines.lineAt(moment.index)) && isDeadline(page.text, moment)
        ? deadlineOf(page, moment, time?.start, context)
        : draftFact(page, 'date', time?.start.value ?? moment.date.toString(), moment),
    ),
  };
}

/** The day on which a mail is read, where the circle lives. */
export function todayOf({ circle, now }: Pick<ReadingContext, 'circle' | 'now'>): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(circle.timezone).toPlainDate();
}

export interface MomentTimes {
  readonly start: ZonedTime;
  readonly end: ZonedTime | undefined;
}

/** The instants of a moment that has a time of day: in the zone that it names, or in the circle's. */
export function instantOf({ date, start, end, offset }: Moment, circle: Circle): MomentTimes | undefined {
  if (start === undefined) return undefined;
  const at = ({ hour, minute }: { hour: number; minute: number }): ZonedTime => {
    const local = date.toPlainDateTime({ hour, minute });
    const here = zonedTime(local, circle.timezone);
    const named =
      offset === undefined || Math.abs(offset) > 14 * 60 ? undefined : offsetTime(local, offset * 60);
    if (named === undefined || named.epochMilliseconds === here.epochMilliseconds) return here;
    return inDoubt(named, 'zone_other'); // zones have namesakes, and a letter from here has no other zone
  };
  return { start: at(start), end: end === undefined ? undefined : at(end) };
}

interface Located {
  readonly moment: Moment;
  readonly time: MomentTimes | undefined;
}

/**
 * The moments that are appointments: their own words say so, those between the moments before and after them; or they
 * stand in a list under one that is.
 */
function appointmentsAmong(
  text: string,
  lines: PageLines,
  located: readonly Located[],
  context: ReadingContext,
): Located[] {
  const timed = located.filter(({ moment, time }) => isAhead(text, lines, moment, time, context));
  const found: Located[] = [];
  for (const [at, each] of timed.entries()) {
    const { moment } = each;
    const previous = timed[at - 1];
    const from = previous === undefined ? 0 : previous.moment.index + previous.moment.length;
    const to = timed[at + 1]?.moment.index ?? text.length;
    const end = moment.index + moment.length;
    const after = text.slice(end, Math.min(to, end + 300)).split('\n\n', 1)[0] ?? '';
    const own = `${text.slice(Math.max(from, moment.index - 500), end)}${after}`;
    const next = previous !== undefined && found.at(-1) === previous;
    if (speaksOfAppointment(own) || (next && belongsTo(previous, each))) found.push(each);
  }
  return found;

  /** `on Monday or on Tuesday`, or two lines that each begin with a date. */
  function belongsTo(previous: Located, each: Located): boolean {
    return (
      sentenceStart(text, each.moment.index) <= previous.moment.index || [previous, each].every(opensLine)
    );
  }

  function opensLine({ moment: { index } }: Located): boolean {
    return /^[\s>•*·(\d.)–-]*$/u.test(text.slice(lines.startOf(lines.lineAt(index)), index));
  }
}

function isAhead(
  text: string,
  lines: PageLines,
  moment: Moment,
  time: MomentTimes | undefined,
  { now }: ReadingContext,
): boolean {
  if (time === undefined || (moment.dateDoubt === undefined && time.start.epochMilliseconds <= now))
    return false;
  if (isForwardHeader(lines.texts, lines.lineAt(moment.index))) return false;
  if (isDeadline(text, moment)) return false;
  return !readsAsLimit(text.slice(sentenceStart(text, moment.index), moment.index));
}

function appointmentOf(
  page: Page,
  moment: Moment,
  time: MomentTimes | undefined,
  { around, changed, now }: ReadingContext & { around: Surroundings },
): LetterAppointment {
  const start = time?.start;
  if (start === undefined) return { start: '', facts: [] };
  const times = [draftFact(page, 'appointment_start', start.value, moment)];
  const ends = time?.end?.exact && moment.end?.certain === true ? time.end : undefined;
  if (ends !== undefined) times.push(draftFact(page, 'appointment_end', ends.value, moment));
  const terms = { doubt: momentDoubt(moment, start), changed, offered: isOffer(page.text, moment) };
  const stated = (kind: FactKind, found: Finding | undefined): Fact[] =>
    found === undefined ? [] : [draftFact(page, kind, found.value, found)];
  return {
    start: start.value,
    facts: [
      ...stated('appointment_title', titleOf(around)),
      ...certainDate(times, { ...terms, start, now }),
      ...stated('appointment_place', placeOf(around)),
      ...stated('appointment_person', clinicianOf(around)),
      ...preparationsOf(around).flatMap((each) => stated('appointment_preparation', each)),
    ],
  };
}

/** What is to be done beforehand, in the lines that are this appointment's. */
function preparationsOf({ text, lines, line, first, last, alone }: Surroundings): Finding[] {
  const from = lines.startOf(alone ? 0 : Math.max(first, line));
  const to = lines.startOf(last) + lines.textOf(last).length;
  return preparationsIn(text.slice(from, to)).map((each) => ({ ...each, index: each.index + from }));
}

function surroundings(
  text: string,
  lines: PageLines,
  moment: Moment,
  [previous, next]: [Moment | undefined, Moment | undefined],
): Surroundings {
  const end = moment.index + moment.length;
  const first = previous === undefined ? 0 : lines.lineAt(previous.index + previous.length - 1) + 1;
  const last = next === undefined ? lines.texts.length - 1 : lines.lineAt(next.index) - 1;
  const line = lines.lineAt(moment.index);
  return {
    text,
    lines,
    index: moment.index,
    end,
    line,
    first: Math.min(first, line),
    last: Math.max(last, line),
    alone: previous === undefined && next === undefined,
  };
}
