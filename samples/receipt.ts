import { lastWorkingDay, plainDate } from './days.ts';
import { brightwater, home } from './houses.ts';
import { renderLetter } from './letter.ts';
import { compose, firstName, forwarded, forwarders, type Occasion, type Sample, senderOf } from './mail.ts';

/** A receipt to keep. Nothing in it is an appointment, and nothing asks for an answer. */
export async function receipt(occasion: Occasion): Promise<Sample> {
  const { circle, today } = occasion;
  const { second } = forwarders(circle);
  const subject = 'Your receipt from Brightwater Appliances, order BW-771904';
  return compose(
    {
      name: 'washing-machine-receipt',
      says: 'a receipt for a washing machine: filed without asking',
      sender: senderOf(second),
      subject: `Fwd: ${subject}`,
      text: forwarded({
        note: `For the warranty folder.\n\n${firstName(second.name)}`,
        from: brightwater.from,
        day: lastWorkingDay(today, 5),
        time: '17:02',
        subject,
        to: second,
        text: `Dear ${second.name},\n\nThank you for your order. Your receipt is attached.\n\nBrightwater Appliances`,
      }),
      day: today.subtract({ days: 1 }),
      time: '21:14',
      attachments: [
        { filename: 'Receipt BW-771904.pdf', content: await slip(occasion), contentType: 'application/pdf' },
      ],
    },
    occasion,
  );
}

function slip({ circle, today }: Occasion): Promise<Uint8Array> {
  const { second } = forwarders(circle);
  const sold = lastWorkingDay(today, 5);
  return renderLetter({
    title: 'Receipt BW-771904',
    house: brightwater,
    addressee: [second.name, `for ${circle.patient.name}`, ...home],
    references: ['Receipt: BW-771904', `Date of purchase: ${plainDate(sold)}`],
    body: [
      { heading: 'Receipt' },
      {
        rows: [
          ['Item', 'Halden 8 kg washing machine, model HW-814, white'],
          ['Serial no.', 'HW814-2209-55173'],
          ['Quantity', '1'],
          ['Price', '£389.00'],
          ['Delivery', '£25.00'],
          ['Old machine', '£15.00 (collection and recycling)'],
          ['Total paid', '£429.00 by debit card'],
        ],
      },
      { paragraph: `Delivered and connected on ${plainDate(sold)}. All prices include VAT at 20 %.` },
      {
        paragraph:
          'The maker gives two years of guarantee on parts and labour from the date of purchase. Please keep this receipt: it is your proof of purchase.',
      },
    ],
    footer: 'Brightwater Appliances, Unit 6, Canal Retail Park, Ashcombe ZX2 9LW. Thank you for your custom.',
    made: sold,
  });
}
