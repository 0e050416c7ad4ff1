import { lastWorkingDay, longDate, plainDate, workingDay } from './days.ts';
import { home, physiotherapy } from './houses.ts';
import { renderLetter } from './letter.ts';
import { compose, firstName, forwarded, forwarders, type Occasion, type Sample, senderOf } from './mail.ts';

/** One letter that gives three appointments: several actions from one mail. */
export async function course(occasion: Occasion): Promise<Sample> {
  const { circle, today } = occasion;
  const { second } = forwarders(circle);
  const subject = 'Your physiotherapy appointments';
  return compose(
    {
      name: 'three-appointments',
      says: 'one letter with three appointments: filed, and three entries in the calendar',
      sender: senderOf(second),
      subject: `Fwd: ${subject}`,
      text: forwarded({
        note: `Three dates this time, all in the PDF.\n\n${firstName(second.name)}`,
        from: physiotherapy.from,
        day: lastWorkingDay(today, 2),
        time: '15:48',
        subject,
        to: second,
        text: `Dear ${second.name},\n\nThe dates for ${circle.patient.name} are in the attached letter.\n\nBest wishes,\nBookings\nAshcombe Community Physiotherapy`,
      }),
      day: today.subtract({ days: 1 }),
      time: '12:55',
      attachments: [
        {
          filename: 'Physiotherapy appointments.pdf',
          content: await letter(occasion),
          contentType: 'application/pdf',
        },
      ],
    },
    occasion,
  );
}

function letter({ circle, today }: Occasion): Promise<Uint8Array> {
  const { name } = circle.patient;
  const written = lastWorkingDay(today, 2);
  // Weeks apart, so that no two can fall on one day, whatever holiday moves one of them.
  const assessment = workingDay(today, 16);
  const gym = workingDay(today, 30);
  const review = workingDay(today, 58);
  return renderLetter({
    title: 'Physiotherapy appointments',
    house: physiotherapy,
    addressee: [name, ...home],
    references: ['Our reference: ACP-5520', `Letter date: ${plainDate(written)}`],
    body: [
      { heading: 'Your three physiotherapy appointments' },
      { paragraph: `Dear ${name},` },
      { paragraph: 'We have booked a course of three appointments for you.' },
      {
        rows: [
          ['First visit', `${longDate(assessment)} at 9:45am`],
          ['', 'Physiotherapy assessment, Room 4, The Old Library, 22 Mill Street'],
          ['Second visit', `${longDate(gym)} at 11:00am`],
          ['', 'Balance and strength class, Studio, The Old Library, 22 Mill Street'],
          ['Third visit', `${longDate(review)} at 2:15pm`],
          ['', 'Physiotherapy review, Room 4, The Old Library, 22 Mill Street'],
        ],
      },
      {
        paragraph:
          'Please wear flat shoes and loose clothes, and bring your walking aid if you use one. The entrance on the canal side has no steps.',
      },
      {
        paragraph:
          'If you cannot come to one of the appointments, please ring 01632 960 237 at least one working day before.',
      },
      { paragraph: 'Best wishes,' },
      { paragraph: 'Samira Holt, Bookings' },
    ],
    footer:
      'Ashcombe Community Physiotherapy, The Old Library, 22 Mill Street, Ashcombe ZX1 3FB. Page 1 of 1.',
    made: written,
  });
}
