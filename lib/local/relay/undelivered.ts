import type { NoticeInput } from '../../approval/noticeinput.ts';
import { ownersOf } from '../../approval/owners.ts';
import { CaregateError } from '../../errors.ts';
import type { Circle, Person } from '../../provenance/circle.ts';
import { type FunctionRegistry, invokeEvent } from '../endpoints/lambda.ts';
import { isNotice, type SentMail } from '../endpoints/outbox.ts';
import { headerFields } from '../pickup/topfields.ts';

/**
 * Tells people of a mail that came back, or that the provider refused; told again, it reaches nobody twice.
 * @throws CaregateError `NOTICE_NOT_SENT` if they could not be told
 */
export async function tellUndelivered(
  registry: FunctionRegistry,
  circles: readonly Circle[],
  mail: SentMail,
): Promise<void> {
  const notice = undeliveredNotice(circles, mail);
  if (notice === undefined || !('error' in (await invokeEvent(registry, 'notify', notice)))) return;
  throw new CaregateError(
    'NOTICE_NOT_SENT',
    '`notify` could not tell of a mail that did not arrive; try again',
  );
}

/**
 * What people are told of a mail that did not arrive, once: the owners of a letter, and of a notice those who can be
 * reached, so that what it asked does not wait for somebody whose address no longer works.
 * @returns what `notify` takes, or nothing where the mail is of no circle, or there is nobody else to tell
 */
export function undeliveredNotice(circles: readonly Circle[], mail: SentMail): NoticeInput | undefined {
  // Two people whose addresses both fail would otherwise be told of each other's notices for ever.
  if (saysUndelivered(mail)) return undefined;
  const circle = circles.find(({ senders }) => Object.values(senders).includes(mail.source));
  if (circle === undefined) return undefined;
  const entry = entryOf(circle, mail);
  const people = ownersOf(circle).filter((owner) => owner !== entry);
  const others = people.length > 0 ? people : circle.people.filter((person) => person !== entry);
  if (others.length === 0) return undefined;
  return {
    circle: circle.id,
    notice: {
      id: `undelivered/${mail.id}`,
      kind: 'undelivered',
      people: others.map(({ id }) => id),
      slots: {
        what: isNotice(mail) ? 'notice' : 'letter',
        sentAt: mail.at,
        ...(entry === undefined ? {} : { recipient: entry.name }),
      },
    },
  };
}

/** Whether a mail is such a notice itself, by the header that we wrote. */
function saysUndelivered({ raw }: SentMail): boolean {
  return headerFields(raw).some(({ name, value }) => name === 'x-caregate-notice' && value === 'undelivered');
}

/** Who it was for, by the circle's own words: an address is an entry's, or nobody's. */
function entryOf(
  { people, contacts }: Circle,
  { destinations }: SentMail,
): Person | { name: string } | undefined {
  const addresses = destinations.map((address) => address.toLowerCase());
  return [...people, ...contacts].find(({ email }) => addresses.includes(email.toLowerCase()));
}
