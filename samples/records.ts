import { lastWorkingDay, longDate, plainDate, workingDay } from './days.ts';
import { hillside, home } from './houses.ts';
import { renderLetter } from './letter.ts';
import { compose, firstName, forwarded, forwarders, type Occasion, type Sample, senderOf } from './mail.ts';

/** A request by a contact of the circle that can only be met by writing to them, with a document attached. */
export async function recordsRequest(occasion: Occasion): Promise<Sample> {
  const { circle, today } = occasion;
  const { first } = forwarders(circle);
  const subject = 'Records request: signed consent form needed';
  const due = workingDay(today, 9);
  return compose(
    {
      name: 'records-request',
      says: 'a records request: the reply with the signed form waits for one person’s approval',
      sender: senderOf(first),
      subject: `Fwd: ${subject}`,
      text: forwarded({
        note: `The signed form is attached. Please send it to the records office at Hillside.\n\n${firstName(first.name)}`,
        from: hillside.from,
        day: lastWorkingDay(today, 3),
        time: '14:31',
        subject,
        to: first,
        text: [
          `Dear ${first.name},`,
          '',
          `To release the vaccination record of ${circle.patient.name} we need the signed consent form. Please send the form as an attachment to records@hillside-clinic.example by ${longDate(due)}.`,
          '',
          'We will post the record within ten working days.',
          '',
          'Kind regards,',
          'Records office',
          'Hillside Clinic',
          '01632 960 482',
        ].join('\n'),
      }),
      day: today.subtract({ days: 1 }),
      time: '19:27',
      attachments: [
        {
          filename: 'Consent form signed.pdf',
          content: await form(occasion),
          contentType: 'application/pdf',
        },
      ],
    },
    occasion,
  );
}

function form({ circle, today }: Occasion): Promise<Uint8Array> {
  const { patient } = circle;
  const { first } = forwarders(circle);
  const signed = today.subtract({ days: 1 });
  return renderLetter({
    title: 'Consent to release of records',
    house: hillside,
    addressee: [],
    references: ['Form HC/12, version 3'],
    body: [
      { heading: 'Consent to the release of a vaccination record' },
      { paragraph: 'To be completed by the patient, or by a person who may act for the patient.' },
      {
        rows: [
          ['Patient', patient.name],
          ['Address', home.join(', ')],
          ['Record', 'Vaccination record, all years'],
          ['Release to', `${first.name}, for the patient`],
          ['Way', 'By post to the address above'],
        ],
      },
      {
        paragraph:
          'I ask Hillside Clinic to release the record named above. I know that I can take this consent back in writing at any time before the record is released.',
      },
      {
        rows: [
          ['Signed', patient.name],
          ['Date', plainDate(signed)],
        ],
      },
      { small: 'For the clinic: identity checked against the register before release.' },
    ],
    footer: 'Hillside Clinic, records office, 3 Orchard Rise, Ashcombe ZX1 7HD. Page 1 of 1.',
    made: signed,
  });
}
