import { calendarDate, lastWorkingDay, longDate, workingDay } from './days.ts';
import { northgate } from './houses.ts';
import { compose, type Occasion, type Sample } from './mail.ts';

/** A calendar invitation that a contact of the circle sends itself, with its time zone written out. */
export function invitation(occasion: Occasion): Promise<Sample> {
  const { circle, today } = occasion;
  const when = workingDay(today, 12);
  return compose(
    {
      name: 'calendar-invitation',
      says: 'an invitation from a contact of the circle: added to the calendar without asking',
      sender: northgate.from,
      subject: `Invitation: telephone review with the cardiac nurse, ${longDate(when)}`,
      text: `Dear ${circle.patient.name},\n\nOur cardiac nurse will telephone you for your yearly review. The invitation is attached; please have your list of medicines to hand.\n\nYours sincerely,\nThe booking team\nNorthgate Cardiology\n01632 960 114`,
      day: today.subtract({ days: 1 }),
      time: '09:15',
      attachments: [
        {
          filename: 'invite.ics',
          content: calendar(occasion),
          contentType: 'text/calendar; charset=utf-8; method=REQUEST',
        },
      ],
    },
    occasion,
  );
}

function calendar({ circle, today }: Occasion): string {
  const when = workingDay(today, 12);
  const stamp = `${calendarDate(lastWorkingDay(today, 1), '08:10')}Z`;
  return `${[
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Northgate Hospital//Bookings 7.1//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:REQUEST',
    ...london,
    'BEGIN:VEVENT',
    `UID:review-${calendarDate(when)}-88412@northgate-cardiology.example`,
    `DTSTAMP:${stamp}`,
    'SEQUENCE:0',
    `DTSTART;TZID=Europe/London:${calendarDate(when, '14:00')}`,
    `DTEND;TZID=Europe/London:${calendarDate(when, '14:20')}`,
    'SUMMARY:Telephone review with the cardiac nurse',
    'LOCATION:By telephone\\, Northgate Cardiology will call',
    'DESCRIPTION:Yearly review. Please have your list of medicines to hand.',
    'ORGANIZER;CN=Northgate Cardiology:mailto:appointments@northgate-cardiology.example',
    `ATTENDEE;RSVP=TRUE;PARTSTAT=NEEDS-ACTION:mailto:${circle.inbox}`,
    'STATUS:CONFIRMED',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
    .map(fold)
    .join('\r\n')}\r\n`;
}

// The rules of the zone since 1996, as calendars write them into an invitation.
const london = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/London',
  'BEGIN:DAYLIGHT',
  'TZNAME:BST',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0100',
  'DTSTART:19960331T010000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'TZNAME:GMT',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0000',
  'DTSTART:19961027T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
];

/** RFC 5545, 3.1: no line is longer than 75 octets. What is written here is ASCII but for a name. */
function fold(line: string): string {
  const first = line.slice(0, 72);
  const rest = line.slice(72).match(/.{1,71}/g) ?? [];
  return [first, ...rest].join('\r\n ');
}
