import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../lib/evidence/calendar.ts';
import { circle, clock, evidenceOf, pageOf, valuesOf } from '../support/reading.ts';

const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  'UID:u1@clinic.example',
  'SUMMARY:Eye check\\, left',
  ...lines,
  'END:VEVENT',
];
const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR'].join('\n');
const zone = (...rules: string[]) => [
  'BEGIN:VTIMEZONE',
  'TZID:Clinic time',
  'BEGIN:STANDARD',
  ...rules,
  'END:STANDARD',
  'END:VTIMEZONE',
];
const start = 'DTSTART;TZID=Europe/London:20270304T103000';

function read(text: string) {
  return eventsOf(pageOf(text), { circle, now: clock.now() }).map(({ facts }) =>
    Object.fromEntries(
      facts.map(({ kind, value, trust }) => [
        kind.replace('appointment_', ''),
        trust === 'CONTROLLED' ? `${value} checked` : value,
      ]),
    ),
  );
}

const startOf = (...lines: string[]) => read(calendar(...event(...lines)))[0]?.start;

describe('an invitation', () => {
  it('gives title, times with their offset, place and UID', () => {
    const text = calendar(
      'METHOD:REQUEST',
      ...event(start, 'DTEND;TZID=Europe/London:20270304T111500', 'LOCATION:Room 3'),
    );
    expect(read(text)).toEqual([
      {
        title: 'Eye check, left',
        start: '2027-03-04T10:30+00:00 checked',
        end: '2027-03-04T11:15+00:00 checked',
        zone: 'Europe/London',
        place: 'Room 3',
        uid: 'u1@clinic.example',
      },
    ]);
  });

  it.each([
    ['UTC', 'DTSTART:20270304T103000Z', '2027-03-04T10:30+00:00 checked'],
    ['an IANA zone', 'DTSTART;TZID=Europe/Berlin:20270704T103000', '2027-07-04T10:30+02:00 checked'],
    [
      'an IANA zone behind a prefix',
      'DTSTART;TZID=/vendor.example/2027/Europe/Berlin:20270304T103000',
      '2027-03-04T10:30+01:00 checked',
    ],
    [
      "Windows' name for a zone",
      'DTSTART;TZID=W. Europe Standard Time:20270704T103000',
      '2027-07-04T10:30+02:00 checked',
    ],
    [
      "Windows' name, quoted",
      'DTSTART;TZID="GMT Standard Time":20270704T103000',
      '2027-07-04T10:30+01:00 checked',
    ],
    ['a whole day', 'DTSTART;VALUE=DATE:20270304', '2027-03-04 checked'],
    ['no zone', 'DTSTART:20270304T103000', '2027-03-04T10:30+00:00'],
    [
      'a zone that nobody knows',
      'DTSTART;TZID="tzone://Microsoft/Custom":20270304T103000',
      '2027-03-04T10:30+00:00',
    ],
    ['a time that its zone skips', 'DTSTART;TZID=Europe/London:20270328T013000', '2027-03-28T02:30+01:00'],
    ['the past', 'DTSTART:20270104T103000Z', '2027-01-04T10:30+00:00'],
    ['the far future', 'DTSTART:99990104T103000Z', undefined],
    ['a zone that breaks its line', 'DTSTART;TZID=tzone://Microsoft/Custom:20270304T103000', undefined],
    ['an hour that does not exist', 'DTSTART:20270304T253000Z', undefined],
    ['a day that does not exist', 'DTSTART:20270231T103000Z', undefined],
  ])('in %s', (_, line, value) => {
    expect(startOf(line)).toBe(value);
  });

  it("believes a zone's own name before the file's definition of it", () => {
    const definition = [
      'BEGIN:VTIMEZONE',
      'TZID:Europe/London',
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0900',
      'TZOFFSETTO:+0900',
      'END:STANDARD',
      'END:VTIMEZONE',
    ];
    expect(read(calendar(...definition, ...event(start)))[0]?.start).toBe('2027-03-04T10:30+00:00 checked');
  });

  it.each([
    [
      'a fixed offset',
      ['DTSTART:19700101T000000', 'TZOFFSETFROM:+1100', 'TZOFFSETTO:+1100'],
      '2027-03-04T10:30+11:00 checked',
    ],
    [
      'a rule that would never end',
      ['DTSTART:19700101T000000', 'RRULE:FREQ=SECONDLY', 'TZOFFSETFROM:+1100', 'TZOFFSETTO:+1100'],
      '2027-03-04T10:30+00:00',
    ],
    [
      'an offset that is none',
      ['DTSTART:19700101T000000', 'TZOFFSETFROM:+5500', 'TZOFFSETTO:+5500'],
      '2027-03-04T10:30+00:00',
    ],
  ])('works out a zone of its own with %s', (_, rules, value) => {
    const text = calendar(...zone(...rules), ...event('DTSTART;TZID=Clinic time:20270304T103000'));
    expect(read(text)[0]?.start).toBe(value);
  });

  it('ends after its duration', () => {
    expect(read(calendar(...event(start, 'DURATION:PT45M')))[0]?.end).toBe('2027-03-04T11:15+00:00 checked');
    expect(read(calendar(...event(start, 'DURATION:PT0S')))[0]).not.toHaveProperty('end');
  });

  it('has no end of its own for one whole day, and the exclusive one of the calendar for several', () => {
    const days = (end: string) =>
      read(calendar(...event('DTSTART;VALUE=DATE:20270304', `DTEND;VALUE=DATE:${end}`)))[0];
    expect(days('20270305')).not.toHaveProperty('end');
    expect(days('20270307')?.end).toBe('2027-03-07 checked');
  });

  it.each([
    ['is cancelled by its method', 'METHOD:CANCEL', []],
    ['is an answer', 'METHOD:REPLY', []],
    ['is cancelled by its status', 'METHOD:REQUEST', ['STATUS:CANCELLED']],
    ['repeats', 'METHOD:REQUEST', ['RRULE:FREQ=WEEKLY']],
    ['replaces one of a series', 'METHOD:REQUEST', ['RECURRENCE-ID:20270303T103000Z']],
    ['ends before it starts', 'METHOD:REQUEST', ['DTEND;TZID=Europe/London:20270304T093000']],
  ])('is not checked if it %s', (_, method, lines) => {
    expect(read(calendar(method, ...event(start, ...lines)))[0]?.start).toBe('2027-03-04T10:30+00:00');
  });

  it('is not checked if its title says that it is cancelled', () => {
    const text = calendar('BEGIN:VEVENT', 'SUMMARY:Canceled: Eye check', start, 'END:VEVENT');
    expect(read(text)[0]).toMatchObject({
      title: 'Canceled: Eye check',
      start: '2027-03-04T10:30+00:00',
      change: 'cancelled',
    });
  });

  it('does not take the lines of an alarm for its own', () => {
    const alarm = ['BEGIN:VALARM', 'DESCRIPTION:x', 'SUMMARY:Alarm', 'DURATION:PT5M', 'END:VALARM'];
    expect(read(calendar(...event(...alarm, start)))[0]?.title).toBe('Eye check, left');
  });

  it('is one of several in one file, or in several calendars of one file', () => {
    const text = `${calendar(...event(start))}\n${calendar(...event('DTSTART:20270305T103000Z'), ...event('DTSTART:20270306T103000Z'))}`;
    expect(read(text)).toHaveLength(3);
  });

  it('whose other values cannot be read gives nothing, and the next one all the same', () => {
    const text = calendar(...event(start, 'DURATION:nonsense'), ...event('DTSTART:20270305T103000Z'));
    expect(read(text).map((each) => each.start)).toEqual(['2027-03-05T10:30+00:00 checked']);
  });

  it('without a start, or that does not parse, gives nothing', () => {
    expect(read(calendar(...event()))).toEqual([]);
    expect(read('BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART')).toEqual([]);
    expect(read('not a calendar')).toEqual([]);
  });
});

describe('invitations of a mail', () => {
  const text = calendar('METHOD:REQUEST', ...event(start));
  const file = (name: string, content: string) => ({ filename: name, contentType: 'text/calendar', content });

  it('are one appointment where two files say the same', async () => {
    const { facts } = await evidenceOf({
      text: 'See the invitation please, thank you.',
      attachments: [file('a.ics', text), file('b.ics', `${text}\n`)],
    });
    expect(valuesOf(facts, 'appointment_start')).toEqual(['2027-03-04T10:30+00:00']);
  });

  it('share the group of a letter that names the same time', async () => {
    const letter =
      'Your eye check is on Thursday 4 March 2027 at 10:30am. Your blood test is on Friday 5 March 2027 at 9:00am.';
    const { facts } = await evidenceOf({ text: letter, attachments: [file('a.ics', text)] });
    const starts = facts.filter((fact) => fact.kind === 'appointment_start');
    expect(starts.map(({ value, group }) => [group, value])).toEqual([
      ['a1', '2027-03-04T10:30+00:00'],
      ['a1', '2027-03-04T10:30+00:00'],
      ['a2', '2027-03-05T09:00+00:00'],
    ]);
  });

  it('are not read a second time where their own words name the zone', async () => {
    const words = 'Eye check\nThursday 4 Mar 2027 10:30am – 11:15am\nEastern European Time - Tallinn';
    const tallinn = text.replace('Europe/London', 'Europe/Tallinn');
    const { facts } = await evidenceOf({ text: words, attachments: [file('a.ics', tallinn)] });
    expect(valuesOf(facts, 'appointment_start')).toEqual(['2027-03-04T10:30+02:00']);
  });

  it('are quoted unfolded, and a file that does not parse is called damaged and kept', async () => {
    const folded = text.replace('Eye check', 'Eye \n check');
    const { documents, facts } = await evidenceOf({
      attachments: [file('a.ics', folded), file('b.ics', 'BEGIN:VCALENDAR\nnonsense')],
    });
    expect(facts.find((fact) => fact.kind === 'appointment_title')?.source.quote).toBe(
      'SUMMARY:Eye check\\, left',
    );
    expect(documents.at(-1)).toMatchObject({
      kind: 'calendar',
      unread: 'damaged',
      pages: ['BEGIN:VCALENDAR\nnonsense'],
    });
  });
});
