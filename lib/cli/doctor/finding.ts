import { CaregateError } from '../../errors.ts';

/** `note` is something to know, `wrong` something to do. */
export type Health = 'ok' | 'note' | 'wrong';

/** What one look at one thing found, in one line. */
export interface Finding {
  readonly check: string;
  readonly health: Health;
  readonly says: string;
}

/** What a look found; what it threw is a finding too. */
export async function looked(
  check: string,
  look: () => Omit<Finding, 'check'> | Promise<Omit<Finding, 'check'>>,
): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    const says = error instanceof CaregateError ? error.message : 'cannot be examined';
    return { check, health: 'wrong', says };
  }
}
