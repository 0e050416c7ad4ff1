/**
 * What Dispatch decides about a mail before any model is called.
 *
 * - `accepted`: from a verified person of the circle, or auto-forwarded by one
 * - `contact`: from a verified contact of the circle
 * - `quarantined`: anyone else, or a failed verdict; waits for release
 * - `ignored`: a bounce, an automatic reply, a list post, our own mail, a person's answer to it, or a provider that asks
 *   whether a mailbox may forward here; listed, and nothing is done with it
 * - `deferred`: over a cap of the circle; taken up later
 */
export const standings = ['accepted', 'contact', 'quarantined', 'ignored', 'deferred'] as const;
export type Standing = (typeof standings)[number];

export const standingReasons = [
  'PERSON_VERIFIED',
  'PERSON_FORWARDED',
  'CONTACT_VERIFIED',
  'RELEASED_BY_PERSON',
  'SENDER_UNKNOWN',
  'SENDER_UNVERIFIED',
  'VIRUS_FOUND',
  'SCAN_FAILED',
  'SPAM_FOUND',
  'NOT_A_MAIL',
  'BOUNCE',
  'AUTOMATIC_REPLY',
  'LIST_POST',
  'OWN_MAIL',
  'REPLY_TO_NOTICE',
  'FORWARDING_CONFIRMATION',
  'DAILY_CAP_REACHED',
  'APPROVALS_CAP_REACHED',
] as const;
export type StandingReason = (typeof standingReasons)[number];

export interface Judgement {
  readonly standing: Standing;
  readonly reason: StandingReason;
  /** The person or contact of the circle that the sender was verified as. */
  readonly sender?: { readonly list: 'people' | 'contacts'; readonly id: string } | undefined;
}

/** Whether a mail of this standing is read by the model. */
export function isAdmitted(standing: Standing): boolean {
  return standing === 'accepted' || standing === 'contact';
}
