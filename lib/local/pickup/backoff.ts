import type { Randomness } from '../../provenance/randomness.ts';
import type { MailboxProblem } from './problems.ts';

const seconds = 1000;
const minutes = 60 * seconds;

/** From the first pause to the longest, in milliseconds. */
interface Pauses {
  readonly first: number;
  readonly longest: number;
}

/** A connection that ends is back soon. Asked too often with a wrong password, providers lock the account. */
const pauses: Readonly<Record<MailboxProblem['trouble'], Pauses>> = {
  'mailbox-unreachable': { first: 2 * seconds, longest: 5 * minutes },
  'mailbox-full': { first: 1 * minutes, longest: 60 * minutes },
  'mailbox-not-writable': { first: 1 * minutes, longest: 60 * minutes },
  'mailbox-folder-missing': { first: 30 * seconds, longest: 10 * minutes },
  'mailbox-password-wrong': { first: 1 * minutes, longest: 60 * minutes },
  'mailbox-sign-in-expired': { first: 1 * minutes, longest: 15 * minutes },
};

/**
 * How long to wait before the next try: twice as long after each failure, and somewhere between half of that and all of
 * it, so that many that lost the same server do not come back at once.
 * @param failures how often it failed in a row, from 1
 */
export function pauseAfter(
  failures: number,
  trouble: MailboxProblem['trouble'],
  randomness: Randomness,
): number {
  const { first, longest } = pauses[trouble];
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 20));
  const [high = 0, low = 0] = randomness.bytes(2);
  return Math.round(whole / 2 + (whole / 2) * ((high * 256 + low) / 65_535));
}
