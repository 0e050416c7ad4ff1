import { longDate, workingDay } from './days.ts';
import { silverline } from './houses.ts';
import { compose, type Occasion, type Sample } from './mail.ts';

/** A mail from somebody whom the circle does not know: it waits, and nothing reads it but its owner. */
export function stranger(occasion: Occasion): Promise<Sample> {
  const { circle, today } = occasion;
  return compose(
    {
      name: 'mail-from-a-stranger',
      says: 'a mail from somebody who is not in the circle: held back, and no model reads it',
      sender: silverline.from,
      subject: 'Final reminder: unclaimed care allowance',
      text: [
        'Dear Sir or Madam,',
        '',
        `Our records show that ${circle.patient.name} may have an unclaimed care allowance. To avoid losing it, please reply with a copy of the latest hospital letters and proof of address before ${longDate(workingDay(today, 3))}.`,
        '',
        'Our adviser can also visit at your convenience.',
        '',
        'Silverline Benefits Team',
      ].join('\n'),
      day: today.subtract({ days: 1 }),
      time: '10:03',
    },
    occasion,
  );
}
