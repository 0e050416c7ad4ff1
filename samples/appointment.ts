import { Temporal } from '@js-temporal/polyfill';
import { lastWorkingDay, longDate, plainDate, workingDay } from './days.ts';
import { home, northgate } from './houses.ts';
import { renderLetter } from './letter.ts';
import { compose, firstName, forwarded, forwarders, type Occasion, type Sample, senderOf } from './mail.ts';

/** An appointment letter as a PDF, forwarded inline. Its date is certain, so that it can be added without asking. */
export async function appointment(occasion: Occasion): Promise<Sample> {
  const { circle, today } = occasion;
  const { first } = forwarders(circle);
  const subject = 'Your appointment at Northgate Cardiology';
  const written = lastWorkingDay(today, 2);
  const text = forwarded({
    note: `Mum's heart scan letter came. Can you put it in the calendar and keep the letter?\n\n${firstName(first.name)}`,
    from: northgate.from,
    day: written,
    time: '16:05',
    subject,
    to: first,
    text: `Dear ${circle.patient.name},\n\nPlease find your appointment letter attached.\n\nYours sincerely,\nThe booking team\nNorthgate Cardiology\n01632 960 114`,
  });
  return compose(
    {
      name: 'appointment-letter',
      says: 'a forwarded appointment letter with a PDF: filed, and added to the calendar without asking',
      sender: senderOf(first),
      subject: `Fwd: ${subject}`,
      text,
      html: asHtml(text),
      day: today.subtract({ days: 1 }),
      time: '18:42',
      attachments: [
        {
          filename: 'Appointment letter.pdf',
          content: await letter(occasion),
          contentType: 'application/pdf',
        },
      ],
    },
    occasion,
  );
}

function letter({ circle, today }: Occasion): Promise<Uint8Array> {
  const { name, born } = circle.patient;
  const written = lastWorkingDay(today, 2);
  const when = workingDay(today, 23);
  const birthday = born === undefined ? '' : `, born ${plainDate(Temporal.PlainDate.from(born))}`;
  return renderLetter({
    title: 'Appointment letter',
    house: northgate,
    addressee: [name, ...home],
    references: [`Our reference: NC/204817`, `Letter date: ${plainDate(written)}`],
    body: [
      { heading: 'Your echocardiogram appointment' },
      { paragraph: `Dear ${name},` },
      {
        paragraph:
          'We have arranged an appointment for you. An echocardiogram is an ultrasound scan of the heart; it does not hurt and takes about forty minutes.',
      },
      {
        rows: [
          ['When', `${longDate(when)} at 10:30am`],
          ['Where', 'Echocardiography, Level 2, Northgate Hospital, 14 Priory Lane, Ashcombe ZX4 2QT'],
          ['With', 'The cardiac physiology team'],
        ],
      },
      { heading: 'How to prepare' },
      {
        paragraph:
          'Please bring this letter and an up-to-date list of your medicines. Wear a top that opens at the front. You may eat, drink and take your medicines as usual. Someone may come with you.',
      },
      { heading: 'If you cannot come' },
      {
        paragraph:
          'Please tell us at least two working days before, on 01632 960 114, so that we can offer the time to somebody else. Patient transport can be booked on the same number.',
      },
      { paragraph: 'Yours sincerely,' },
      { paragraph: 'J. Okafor, Bookings manager' },
    ],
    footer: `Northgate Cardiology is part of Northgate Hospital. Patient: ${name}${birthday}. Page 1 of 1.`,
    made: written,
  });
}

function asHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<div dir="ltr">${escaped.replaceAll('\n', '<br>\n')}</div>\n`;
}
