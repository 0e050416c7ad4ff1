import type ICAL from 'ical.js';
import type { Circle } from '../provenance/circle.ts';
import { digestOf } from '../provenance/digest.ts';
import type { DoubtName, Fact, FactKind } from '../provenance/trust.ts';
import { calendarsIn, type Line, mendedCalendar } from './calendarfile.ts';
import { durationEnd, type EventTime, textOf, timeOf } from './calendartimes.ts';
import { draftFact, type Page } from './draft.ts';
import { preparationsIn } from './preparations.ts';
import { calendarDate } from './validators.ts';

const mostEvents = 50;

/** The facts of one event, and what tells whether another copy says the same, or something later of it. */
export interface CalendarEvent {
  readonly key: string;
  /** The same for every version of one event. */
  readonly identity: string;
  /** SEQUENCE, then DTSTAMP (RFC 5546, 2.1.5): which of two versions holds. */
  readonly version: readonly [sequence: number, stamp: string];
  readonly facts: readonly Fact[];
}

/**
 * The events of an iCalendar file (RFC 5545). Of a file that does not parse as a whole those are read that do.
 * @param page the file's text, unfolded; attacker-controlled
 */
export function eventsOf(page: Page, options: { circle: Circle; now: number }): CalendarEvent[] {
  const { calendars, blocks } = mendedCalendar(page.text);
  const events = calendars.flatMap((calendar) =>
    calendar.getAllSubcomponents('vevent').map((event) => ({ calendar, event })),
  );
  if (blocks.length !== events.length) return [];
  return events.slice(0, mostEvents).flatMap(({ calendar, event }, index) => {
    const block = blocks[index];
    const { timezone } = options.circle;
    return block === undefined ? [] : readable({ page, calendar, event, block, timezone, now: options.now });
  });
}

/** The calendars of a file, or nothing if it does not parse. */
export function calendarsOf(text: string): ICAL.Component[] | undefined {
  return calendarsIn(text);
}

/** The library reads a value when it is asked for, and throws then: one such event must not cost the others. */
function readable(source: EventSource): CalendarEvent[] {
  try {
    return eventOf(source);
  } catch {
    return [];
  }
}

interface EventSource {
  readonly page: Page;
  readonly calendar: ICAL.Component;
  readonly event: ICAL.Component;
  readonly block: readonly Line[];
  readonly timezone: string;
  readonly now: number;
}

function eventOf(source: EventSource): CalendarEvent[] {
  const { event } = source;
  const start = timeOf(source, 'dtstart');
  if (start === undefined) return [];
  const uid = textOf(event, 'uid') ?? derivedUid(event, start);
  const identity = `${uid} ${textOf(event, 'recurrence-id') ?? ''}`;
  const fact = factMaker(source);
  return [
    {
      key: `${identity} ${start.time.value}`,
      identity,
      version: [Number(textOf(event, 'sequence') ?? 0) || 0, textOf(event, 'dtstamp') ?? ''],
      facts: [
        ...fact('appointment_title', textOf(event, 'summary'), ['SUMMARY']),
        ...timesOf(source, start, fact),
        ...fact('appointment_zone', start.zone, ['DTSTART']),
        ...fact('appointment_place', textOf(event, 'location'), ['LOCATION']),
        ...preparations(source, fact),
        ...fact('appointment_repeats', textOf(event, 'rrule'), ['RRULE']),
        ...changeOf(source, fact),
        ...fact('appointment_uid', uid, textOf(event, 'uid') === undefined ? ['DTSTART'] : ['UID']),
      ],
    },
  ];
}

/** An event without a UID is the same as another of its time and title, so that a second copy of it is none. */
function derivedUid(event: ICAL.Component, start: EventTime): string {
  const named = {
    start: start.time.epochMilliseconds,
    summary: calledOff(textOf(event, 'summary') ?? '').name,
  };
  return `derived-${digestOf(named).slice(0, 40)}`;
}

type FactMaker = (kind: FactKind, value: string | undefined, names: readonly string[]) => Fact<'UNTRUSTED'>[];

/** Facts of an event, each with the line that states it. */
function factMaker({ page, block }: EventSource): FactMaker {
  return (kind, value, names) => {
    const line = block.find((each) => names.includes(each.name));
    return value === undefined || line === undefined ? [] : [draftFact(page, kind, value, line)];
  };
}

function timesOf(source: EventSource, start: EventTime, fact: FactMaker): Fact[] {
  const end = timeOf(source, 'dtend') ?? durationEnd(source.event, start);
  const gap = end === undefined ? 0 : end.time.epochMilliseconds - start.time.epochMilliseconds;
  const later = end !== undefined && end.whole === start.whole && gap > 0;
  const times = [
    ...fact('appointment_start', start.time.value, ['DTSTART']),
    ...(later && !(start.whole && gap <= 86_400_000)
      ? fact('appointment_end', end.time.value, ['DTEND', 'DURATION'])
      : []),
  ];
  return calendarDate(times, {
    ...termsOf(source, start.doubt ?? end?.doubt),
    ahead: start.time.epochMilliseconds > source.now,
    ordered: end === undefined || later || gap === 0,
  });
}

function termsOf({ calendar, event }: EventSource, doubt: DoubtName | undefined) {
  const has = (name: string): boolean => event.getFirstProperty(name) !== null;
  return {
    doubt,
    cancelled: isCancelled(event),
    recurring: has('rrule') || has('rdate') || has('exdate') || has('recurrence-id'),
    method: textOf(calendar, 'method')?.toUpperCase(),
  };
}

function isCancelled(event: ICAL.Component): boolean {
  const off = calledOff(textOf(event, 'summary') ?? '').off;
  return textOf(event, 'status')?.toUpperCase() === 'CANCELLED' || off;
}

/** Calendar programs say in the title that an event was called off. */
function calledOff(summary: string): { name: string; off: boolean } {
  const mark =
    /^\W*(?:cancel+ed|cancel+ation|abgesagt|absage|annul[ée]e?|annulation|cancelad[oa])(?!\p{L})[\s:–—-]*/iu.exec(
      summary,
    );
  return { name: summary.slice(mark?.[0].length ?? 0), off: mark !== null };
}

/** That an event was called off, or is one of a series that was moved, in the words of the file. */
function changeOf(source: EventSource, fact: FactMaker): Fact<'UNTRUSTED'>[] {
  const { page, calendar, event } = source;
  if (textOf(calendar, 'method')?.toUpperCase() === 'CANCEL') {
    const line = /^METHOD[^\S\n]*:[^\S\n]*CANCEL/im.exec(page.text);
    const stretch = line === null ? undefined : { index: line.index, length: line[0].length };
    return stretch === undefined ? [] : [draftFact(page, 'appointment_change', 'cancelled', stretch)];
  }
  if (!isCancelled(event)) {
    return textOf(event, 'recurrence-id') === undefined
      ? []
      : fact('appointment_change', 'moved', ['RECURRENCE-ID']);
  }
  const status = textOf(event, 'status')?.toUpperCase() === 'CANCELLED';
  return fact('appointment_change', 'cancelled', [status ? 'STATUS' : 'SUMMARY']);
}

function preparations({ event }: EventSource, fact: FactMaker): Fact<'UNTRUSTED'>[] {
  const described: unknown = event.getFirstPropertyValue('description');
  if (typeof described !== 'string') return [];
  return preparationsIn(described.slice(0, 5000)).flatMap(({ value }) =>
    fact('appointment_preparation', value, ['DESCRIPTION']),
  );
}
