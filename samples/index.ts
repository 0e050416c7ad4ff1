import type { Circle } from '../lib/provenance/circle.ts';
import type { Clock } from '../lib/provenance/clock.ts';
import { appointment } from './appointment.ts';
import { course } from './course.ts';
import { today } from './days.ts';
import { invitation } from './invitation.ts';
import type { Sample } from './mail.ts';
import { receipt } from './receipt.ts';
import { recordsRequest } from './records.ts';
import { referral } from './referral.ts';
import { stranger } from './stranger.ts';

export type { Sample } from './mail.ts';

/** What writes each sample, in the order in which a newcomer sees them. */
export const writers = [
  appointment,
  invitation,
  referral,
  recordsRequest,
  course,
  receipt,
  stranger,
] as const;

/**
 * Seven invented care mails for a newcomer to run first: forwarded by the circle's people, about its patient, with
 * dates that lie ahead of the clock's day. The same day and circle give the same bytes, so that running the samples
 * twice on one day makes no second case.
 */
export async function samples(clock: Clock, circle: Circle): Promise<readonly Sample[]> {
  const occasion = { circle, today: today(clock, circle) };
  return Promise.all(writers.map((write) => write(occasion)));
}
