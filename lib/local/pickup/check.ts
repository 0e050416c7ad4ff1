import { Mailbox, type MailboxAccess, requireSignIn } from './mailbox.ts';
import { type MailboxProblem, problemDetails, problemOf } from './problems.ts';
import { usualMistake } from './providers.ts';
import { receiverFor } from './receivers.ts';

/** What a sign-in to the household's mailbox showed. */
export interface MailboxCheck {
  readonly problem?: MailboxProblem;
  /** One line, of our own words and of the household's settings. */
  readonly says: string;
  /** Whether senders are verified there: without that each mail waits for a person. */
  readonly verifies: boolean;
}

const smallest = 1024;

/**
 * Signs in and opens the folder as a pick-up does, takes nothing, and says what it found.
 * @throws CaregateError as {@link requireSignIn}
 */
export async function checkMailbox(access: MailboxAccess): Promise<MailboxCheck> {
  requireSignIn(access);
  const { settings } = access;
  const verifies = receiverFor(settings.host, settings.authserv) !== undefined;
  try {
    const mailbox = await Mailbox.open(access, smallest);
    try {
      const { moveTo } = settings;
      if (moveTo !== undefined && mailbox.moves && !(await mailbox.has(moveTo))) {
        return wrong(access, { trouble: 'mailbox-folder-missing', detail: 'move-folder' }, verifies);
      }
      if (await mailbox.isFull()) {
        return wrong(access, { trouble: 'mailbox-full', detail: 'quota' }, verifies);
      }
      return { says: workings(mailbox, access, verifies), verifies };
    } finally {
      mailbox.close();
    }
  } catch (error) {
    return wrong(access, problemOf(error, settings), verifies);
  }
}

function wrong({ settings }: MailboxAccess, problem: MailboxProblem, verifies: boolean): MailboxCheck {
  const mistake = usualMistake(settings, problem.detail);
  const says = `${settings.folder} at ${settings.host}: ${problemDetails[problem.detail]}`;
  return { problem, verifies, says: mistake === undefined ? says : `${says}; ${mistake}` };
}

function workings(
  { idles, keepsMark, moves }: Mailbox,
  { settings: { folder, host, mark, moveTo } }: MailboxAccess,
  verifies: boolean,
): string {
  const does = [
    idles ? 'it tells of new mail at once' : 'it is asked every minute',
    ...(mark === undefined ? [] : [keepsMark ? `what is taken is marked ${mark}` : 'it keeps no marks']),
    ...(moveTo === undefined
      ? []
      : [moves ? `and moved to ${moveTo}` : 'and stays, since the server cannot move by itself']),
    verifies
      ? 'senders are verified by what the server found out'
      : 'no sender can be verified, so that each mail waits until one of you lets it in (docs/mailbox.md)',
  ];
  return `${folder} at ${host} opens; ${does.join(', ')}`;
}
