import { isCaregateError } from '../../errors.ts';
import type { PickupSettings } from './settings.ts';

/** What keeps mail from being picked up, by the names of the household's troubles, and more exactly by a code. */
export interface MailboxProblem {
  readonly trouble:
    | 'mailbox-password-wrong'
    | 'mailbox-sign-in-expired'
    | 'mailbox-folder-missing'
    | 'mailbox-full'
    | 'mailbox-not-writable'
    | 'mailbox-unreachable';
  readonly detail: ProblemDetail;
}

/** The codes of a closed list: nothing that a server says is repeated. */
export const problemDetails = {
  password: 'the server refuses user or password',
  token: 'the sign-in with the provider has run out, or was taken back',
  folder: 'the folder that is picked up from is not there',
  'move-folder': 'the folder that taken mails are moved to is not there',
  quota: 'the mailbox is full: new mail is turned away, and nothing can be moved or marked there',
  mark: 'the server lets what was taken be neither marked nor moved',
  certificate: 'the certificate of the server does not hold',
  'no-tls': 'the server offers no TLS, and a password does not go out in the clear',
  name: 'the name of the server is not known',
  refused: 'nothing answers there',
  timeout: 'it does not answer in time',
  busy: 'the server turns the connection away for now',
  closed: 'the connection ended',
} as const;
export type ProblemDetail = keyof typeof problemDetails;

/** An error of the IMAP client, as far as it is looked at. Its texts are the server's. */
interface ImapError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly authenticationFailed?: unknown;
  readonly mailboxMissing?: unknown;
  readonly serverResponseCode?: unknown;
  readonly tlsFailed?: unknown;
}

/** What an error of a connection means for the household. */
export function problemOf(given: unknown, { password }: Pick<PickupSettings, 'password'>): MailboxProblem {
  if (isCaregateError(given, 'SIGN_IN_UNAVAILABLE')) return unreachable('busy');
  // Whoever gives access tokens says in an error of ours why there is none.
  if (isCaregateError(given)) return { trouble: 'mailbox-sign-in-expired', detail: 'token' };
  const error = (given ?? {}) as ImapError;
  const said = String(error.serverResponseCode ?? '').toUpperCase();
  if (/^(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG|CONTACTADMIN)$/.test(said)) return unreachable('busy');
  if (said === 'OVERQUOTA') return { trouble: 'mailbox-full', detail: 'quota' };
  if (error.authenticationFailed === true) {
    return password === undefined || said === 'EXPIRED'
      ? { trouble: 'mailbox-sign-in-expired', detail: 'token' }
      : { trouble: 'mailbox-password-wrong', detail: 'password' };
  }
  if (error.mailboxMissing === true || said === 'NONEXISTENT') {
    return { trouble: 'mailbox-folder-missing', detail: 'folder' };
  }
  return unreachable(connectionDetail(error));
}

/** What a refused mark or move means. */
export function refusalOf(given: unknown, moveTo?: string): MailboxProblem {
  const said = String(((given ?? {}) as ImapError).serverResponseCode ?? '').toUpperCase();
  if (said === 'OVERQUOTA') return { trouble: 'mailbox-full', detail: 'quota' };
  if (moveTo !== undefined && /^(?:TRYCREATE|NONEXISTENT)$/.test(said)) {
    return { trouble: 'mailbox-folder-missing', detail: 'move-folder' };
  }
  return { trouble: 'mailbox-not-writable', detail: 'mark' };
}

function unreachable(detail: ProblemDetail): MailboxProblem {
  return { trouble: 'mailbox-unreachable', detail };
}

function connectionDetail({ code, message, tlsFailed }: ImapError): ProblemDetail {
  const named = String(code ?? '');
  if (/CERT|DEPTH_ZERO|SELF_SIGNED|ERR_TLS/.test(named)) return 'certificate';
  if (tlsFailed === true || /STARTTLS|UPGRADE/.test(`${named} ${String(message ?? '')}`)) return 'no-tls';
  if (/ENOTFOUND|EAI_AGAIN/.test(named)) return 'name';
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(named)) return 'refused';
  if (/TIMEOUT|ETIMEDOUT/.test(named)) return 'timeout';
  return /THROTTLE/.test(named) ? 'busy' : 'closed';
}
