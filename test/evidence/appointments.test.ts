import { describe, expect, it } from 'vitest';
import { timesOf } from '../../lib/evidence/appointments.ts';
import { circleIn, clock, pageOf, understood } from '../support/reading.ts';

const one = (text: string, ...where: Parameters<typeof circleIn> | []) =>
  understood(text, ...(where.length === 2 ? [circleIn(...where)] : [])).appointments;

describe('an appointment of a letter', () => {
  it('is read from a sentence, with its title and place', () => {
    const text =
      'Dear Rosa,\n\nYour cardiology review with Dr Amara Singh is on Thursday 4 March 2027\nat 10:30am at Northgate Hospital, Level 2.\n\nPlease bring this letter.';
    expect(one(text)).toEqual([
      {
        title: 'Cardiology review with Dr Amara Singh',
        start: '2027-03-04T10:30+00:00 checked',
        place: 'Northgate Hospital, Level 2',
        person: 'Dr Amara Singh',
        preparation: 'Please bring this letter',
      },
    ]);
  });

  it('is read from labelled lines', () => {
    const text =
      'Appointment: Diabetic foot check\nDate: Thursday 4 March 2027\nTime: 10:30 - 11:15\nWhere: Podiatry, Ashcombe Health Centre\nBring: shoes';
    expect(one(text)).toEqual([
      {
        title: 'Diabetic foot check',
        start: '2027-03-04T10:30+00:00 checked',
        end: '2027-03-04T11:15+00:00 checked',
        place: 'Podiatry, Ashcombe Health Centre',
      },
    ]);
  });

  it('is read from a table whose cells stand on lines of their own', () => {
    const text =
      'Your video consultation\n\nWhen\nThursday 4 March 2027\n10:30am to 11:00am\nLocation: online';
    expect(one(text)).toEqual([
      {
        title: 'Video consultation',
        start: '2027-03-04T10:30+00:00 checked',
        end: '2027-03-04T11:00+00:00 checked',
        place: 'online',
      },
    ]);
  });

  it('has a place that goes on in the next line', () => {
    const text =
      'Your scan\nWhen Wednesday 24 March 2027 at 10:30am\nWhere Echocardiography, Level 2, Northgate Hospital, 14 Priory Lane\nZX4 2QT\nWith The team';
    expect(one(text)[0]?.place).toBe('Echocardiography, Level 2, Northgate Hospital, 14 Priory Lane ZX4 2QT');
  });

  it.each([
    [
      'You have an appointment at the Royal Infirmary on Thursday 4 March 2027 at 10:30am.',
      'the Royal Infirmary',
    ],
    ['Blood test: Thursday 4 March 2027 at 9:15am in Room 3, Hillside Clinic.', 'Room 3, Hillside Clinic'],
    ['Eye clinic – Friday 12 March 2027 at 2:15pm, Ward 5', 'Ward 5'],
    ['Ihr Termin ist am Donnerstag, 4. März 2027 um 10:30 Uhr in der Praxis Dr. Weber.', 'Praxis Dr. Weber'],
  ])('has its place in %j', (text, place) => {
    expect(one(text, 'de-DE', 'Europe/London')[0]?.place).toBe(place);
  });

  it.each([
    ['We invite you for a blood test on Thursday 4 March 2027 at 10:30am.', 'Blood test'],
    ['Dad sees Dr Lee for his eye check-up on Thursday 4 March 2027 at 10:30am.', 'Eye check-up'],
    ['Your appointment with Dr. Smith is on Thursday 4 March 2027 at 10:30am.', 'Appointment with Dr. Smith'],
    ['Thursday 4 March 2027 10.30am-11.15am Memory clinic, The Old Library', 'Memory clinic'],
    ['Subject: Fwd: Your hearing test\n\nSee you on Thursday 4 March 2027 at 10:30am.', 'Hearing test'],
    ['Your appointment is on Thursday 4 March 2027 at 10:30am.', undefined],
  ])('of %j is called %j', (text, title) => {
    expect(one(text)[0]?.title).toBe(title);
  });

  it('is one of several, each with its own words', () => {
    const text =
      '1. Blood test: Mon 8 Mar 2027 09:00, Room 1\n2. X-ray: Tue 9 Mar 2027 11:20, Room 2\n3. Consultation with Dr Lee: Wed 10 Mar 2027 14:00';
    expect(one(text)).toEqual([
      { title: 'Blood test', start: '2027-03-08T09:00+00:00 checked', place: 'Room 1' },
      { title: 'X-ray', start: '2027-03-09T11:20+00:00 checked', place: 'Room 2' },
      { title: 'Consultation with Dr Lee', start: '2027-03-10T14:00+00:00 checked', person: 'Dr Lee' },
    ]);
  });

  it('is named in the line under its moment', () => {
    const text =
      'First visit Thursday 4 March 2027 at 9:45am\nPhysiotherapy assessment, Room 4, The Old Library\nSecond visit Thursday 18 March 2027 at 11:00am\nBalance class, Studio';
    expect(one(text)).toEqual([
      {
        title: 'Physiotherapy assessment',
        start: '2027-03-04T09:45+00:00 checked',
        place: 'Room 4, The Old Library',
      },
      { title: 'Balance class', start: '2027-03-18T11:00+00:00 checked', place: 'Studio' },
    ]);
  });

  it.each([
    ['Donnerstag, den 4. März 2027 um 10:30 Uhr: Untersuchung', 'de-DE', 'Europe/Berlin'],
    ['Untersuchung am 04.03.2027, 10.30 Uhr', 'de-DE', 'Europe/Berlin'],
    ['Votre rendez-vous aura lieu le jeudi 4 mars 2027 à 10h30.', 'fr-FR', 'Europe/Paris'],
    ['Su cita es el jueves 4 de marzo de 2027 a las 10:30.', 'es-ES', 'Europe/Madrid'],
  ])('is read from %j where the circle speaks %s', (text, locale, zone) => {
    expect(one(text, locale, zone)[0]?.start).toBe('2027-03-04T10:30+01:00 checked');
  });
});

describe('the offset of a time', () => {
  it.each([
    ['Saturday 27 March 2027 at 10:30am', '2027-03-27T10:30+00:00 checked'],
    ['Monday 29 March 2027 at 10:30am', '2027-03-29T10:30+01:00 checked'],
    ['Saturday 30 October 2027 at 10:30am', '2027-10-30T10:30+01:00 checked'],
    ['Monday 1 November 2027 at 10:30am', '2027-11-01T10:30+00:00 checked'],
  ])('of %s is the one of that day', (when, start) => {
    expect(one(`Your scan is on ${when}.`)[0]?.start).toBe(start);
  });

  it.each([
    ['a time that the zone skips', 'Sunday 28 March 2027 at 01:30', '2027-03-28T02:30+01:00'],
    ['a time that the zone has twice', 'Sunday 31 October 2027 at 01:30', '2027-10-31T01:30+01:00'],
  ])('is not certain for %s', (_, when, start) => {
    expect(one(`Your scan is on ${when}.`)[0]?.start).toBe(start);
  });

  it.each([
    ['GMT', '2027-03-04T10:30+00:00 checked'],
    ['PST', '2027-03-04T10:30-08:00'],
    ['(Central European Time - Berlin)', '2027-03-04T10:30+00:00'],
    ['UTC+3', '2027-03-04T10:30+03:00'],
    ['Europe/Berlin', '2027-03-04T10:30+00:00'],
  ])('is certain with a zone that is named only if it is the circle’s own: %s', (zone, start) => {
    expect(one(`Your scan is on Thursday 4 March 2027 at 10:30am ${zone}`)[0]?.start).toBe(start);
  });
});

describe('a moment that is not certain is not checked', () => {
  it.each([
    ['a day and a month that may be swapped', 'on 03/04/2027 at 10:30am', '2027-04-03T10:30+01:00'],
    ['a weekday that does not agree', 'on Friday 4 March 2027 at 10:30am', '2027-03-04T10:30+00:00'],
    ['a weekday behind it that does not agree', 'on 4 March 2027 (Friday), 10:30am', undefined],
    ['an hour that may be in the afternoon', 'on Thursday 4 March 2027 at 3:15', '2027-03-04T03:15+00:00'],
    ['a year of two digits', 'on 13/03/27 at 10:30am', '2027-03-13T10:30+00:00'],
    ['a year that is left open, without a weekday', 'on 4 March at 10:30am', '2027-03-04T10:30+00:00'],
    ['two times', 'on Thursday 4 March 2027 at 10:30am or 2:00pm', '2027-03-04T10:30+00:00'],
  ])('%s', (_, when, start) => {
    expect(one(`Your scan is ${when}.`)[0]?.start).toBe(start);
  });

  it.each([
    [
      'swapped numbers whose weekday decides',
      'on Sat 03/04/2027 at 10:30am',
      '2027-04-03T10:30+01:00 checked',
    ],
    ['numbers of which one can only be a day', 'on 13/04/2027 at 10:30am', '2027-04-13T10:30+01:00 checked'],
    [
      'an open year whose weekday decides',
      'on Thursday 4 March at 10:30am',
      '2027-03-04T10:30+00:00 checked',
    ],
    ['an ISO date', 'on 2027-03-04 at 10:30', '2027-03-04T10:30+00:00 checked'],
  ])('but %s are', (_, when, start) => {
    expect(one(`Your scan is ${when}.`)[0]?.start).toBe(start);
  });

  it('reads numbers in the order of the locale', () => {
    expect(one('Your scan is on 03/04/2027 at 10:30am.', 'en-US', 'America/New_York')[0]?.start).toBe(
      '2027-03-04T10:30-05:00',
    );
  });

  it.each([
    ['en-GB', 'Europe/London', '03/04/2027', '2027-04-03T10:30+01:00', 'day_month_order'],
    ['es-ES', 'Europe/Madrid', '03/04/2027', '2027-04-03T10:30+02:00', 'day_month_order'],
    ['en-US', 'America/New_York', '03/04/2027', '2027-03-04T10:30-05:00', 'day_month_order'],
    ['de-DE', 'Europe/Berlin', '03.04.2027', '2027-04-03T10:30+02:00', undefined],
    ['en-GB', 'Europe/London', '25/04/2027', '2027-04-25T10:30+01:00', undefined],
  ])(
    'in %s (%s) takes %s for what the locale makes of it, and asks where it can be another day',
    (...given) => {
      const [locale, timezone, written, start, doubt] = given;
      const context = { circle: circleIn(locale, timezone), now: clock.now(), changed: false };
      const [appointment] = timesOf(pageOf(`Scan: ${written}, 10:30`), context).appointments;
      const fact = appointment?.facts.find(({ kind }) => kind === 'appointment_start');
      const trust = doubt === undefined ? 'CONTROLLED' : 'UNTRUSTED';
      expect({ value: fact?.value, trust: fact?.trust, doubt: fact?.doubt }).toEqual({
        value: start,
        trust,
        doubt,
      });
    },
  );

  it('does not read 7 Dec 10-11:30 as the year 2010', () => {
    expect(understood('Clinic: Mon 7 Dec 10-11:30').dates).toEqual(['2027-12-07']);
  });
});

describe('an appointment that was called off, moved or only offered is not checked', () => {
  it.each([
    'Your appointment on Thursday 4 March 2027 at 10:30am has been cancelled.',
    'Your scan has been moved to Thursday 4 March 2027 at 10:30am.',
    'CANCELLED: scan, Thursday 4 March 2027 at 10:30am',
    'We need to reschedule your appointment. The new date is Thursday 4 March 2027 at 10:30am.',
    'We could offer you an appointment on Thursday 4 March 2027 at 10:30am. Please call to book it.',
    'Scan on Thursday 4 March 2027 at 10:30am or Friday 5 March 2027 at 10:30am. Please choose one.',
    'Ihr Termin am Donnerstag, 4 March 2027 at 10:30am wurde verschoben.',
  ])('%s', (text) => {
    const starts = one(text).map(({ start }) => start);
    expect(starts.length).toBeGreaterThan(0);
    expect(starts.filter((start) => start?.includes('checked'))).toEqual([]);
  });

  it.each([
    'If your appointment has been cancelled by us, we will call. Your scan is on Thursday 4 March 2027 at 10:30am.',
    'Your scan is on Thursday 4 March 2027 at 10:30am. If you need to change the date, please call us.',
  ])('but what the letter says for the case of a change does not count: %s', (text) => {
    expect(one(text)[0]?.start).toBe('2027-03-04T10:30+00:00 checked');
  });
});

describe('a date that is no appointment', () => {
  it.each([
    ['a deadline', 'Please reply by Thursday 4 March 2027 at 17:00 about your appointment.'],
    ['a denial', 'You do not have an appointment on Thursday 4 March 2027 at 17:00.'],
    [
      'the header of a forwarded mail',
      'From: a@b.example\nSent: Thursday 4 March 2027 17:00\nSubject: Your appointment',
    ],
    [
      'the line above a quoted mail',
      'On Thu, 4 Mar 2027 at 17:00, Clinic <a@b.example> wrote:\n> Your appointment',
    ],
    ['a time in a text about something else', 'The shop sale starts on Thursday 4 March 2027 at 17:00.'],
  ])('is %s', (_, text) => {
    expect(understood(text)).toEqual({ appointments: [], dates: ['2027-03-04T17:00+00:00'] });
  });

  it('is a time in the past', () => {
    expect(understood('Your visit on Thursday 7 January 2027 at 10:30am went well.').appointments).toEqual(
      [],
    );
  });

  it('is a day without a time, and a day that does not exist is none at all', () => {
    expect(understood('Your visit is on 4 March 2027.')).toEqual({ appointments: [], dates: ['2027-03-04'] });
    expect(understood('Your visit is on 31/02/2027, or on 29 February 2027 at 10:30am.')).toEqual({
      appointments: [],
      dates: [],
    });
  });
});
