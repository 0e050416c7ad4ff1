import { CaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Circles } from '../provenance/circles.ts';
import type { HouseholdInbox } from './householdinbox.ts';
import { mailLimit } from './mailbox/inbox.ts';
import { type MailboxAccess, requireSignIn } from './pickup/mailbox.ts';
import { Pickup, type PickupOptions } from './pickup/pickup.ts';

/** What is picked up is the mail of one circle: of the one that is named, or of the only one there is. */
export interface HouseholdPickupOptions
  extends Pick<PickupOptions, 'directory' | 'clock' | 'randomness' | 'troubles' | 'received' | 'log'> {
  readonly access: MailboxAccess;
  readonly circles: Circles;
  readonly inbox: Pick<HouseholdInbox, 'take'>;
}

/**
 * Picks mail up from the household's mailbox and hands it to the inbox of its circle, whatever it says that it is sent to.
 * @throws CaregateError `CONFIGURATION_INVALID` where it is not clear whose mail it is, or there is no way to sign in;
 *   `DATA_DIRECTORY_INVALID`
 */
export async function openHouseholdPickup(options: HouseholdPickupOptions): Promise<Pickup> {
  const { access, circles, inbox, directory, clock, randomness, troubles, received, log } = options;
  requireSignIn(access);
  const circle = circleOf(circles, access.settings.circle);
  return Pickup.start({
    ...access,
    directory,
    clock,
    randomness,
    troubles,
    received,
    log,
    limit: mailLimit,
    take: (mail) => inbox.take(mail, circle.inbox),
  });
}

function circleOf(circles: Circles, named: string | undefined): Circle {
  const [first, ...others] = named === undefined ? circles : circles.filter(({ id }) => id === named);
  if (first !== undefined && others.length === 0) return first;
  const ids = circles.map(({ id }) => id).join(', ');
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `setting \`CAREGATE_IMAP_CIRCLE\` names none of the circles \`${ids}\`; name the one whose mail the mailbox holds`,
  );
}
