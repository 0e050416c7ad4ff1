import { CaregateError } from '../../errors.ts';

/** Which mails that lay in the mailbox before the first start are taken too: none, all, or those from a day on. */
export type Since = 'now' | 'all' | { readonly day: string };

/** How the household's mailbox is reached, and what is done there. */
export interface PickupSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the start. Otherwise STARTTLS is demanded, except of a server on this machine. */
  readonly secure: boolean;
  readonly local: boolean;
  readonly user: string;
  /** Without one, somebody gives an access token for each sign-in. */
  readonly password?: string;
  /** The folder, or the label, that is looked into. */
  readonly folder: string;
  /** The keyword or flag put on what was taken; nothing if the mailbox stays as it is. */
  readonly mark?: string;
  /** The folder that what was taken is moved to. */
  readonly moveTo?: string;
  readonly since: Since;
  /** The authserv-id of the household's own mail server, which replaces those that senders write. */
  readonly authserv?: string;
  /** The circle whose mail it is, where there are several. */
  readonly circle?: string;
}

/** The settings of a pick-up, as they stand in the environment of `npm start`. */
export type PickupEnvironment = Readonly<Record<string, string | undefined>>;

const defaults = { folder: 'INBOX', mark: '$Caregate' } as const;

/**
 * The mailbox that mail is picked up from, or nothing where none is named.
 * @throws CaregateError `CONFIGURATION_INVALID`, which names the setting and never what stands in it
 */
export function pickupSettings(environment: PickupEnvironment): PickupSettings | undefined {
  const address = environment.CAREGATE_IMAP_URL ?? '';
  if (address === '') return undefined;
  const { CAREGATE_IMAP_MOVE: moveTo = '', CAREGATE_IMAP_CIRCLE: circle = '' } = environment;
  const folder = named(environment.CAREGATE_IMAP_FOLDER, 'CAREGATE_IMAP_FOLDER') ?? defaults.folder;
  const authserv = authservOf(environment.CAREGATE_IMAP_AUTHSERV);
  if (moveTo !== '' && moveTo === folder) {
    throw invalid('CAREGATE_IMAP_MOVE', 'is the folder that is picked up from; name another one');
  }
  return {
    ...serverOf(address),
    folder,
    since: sinceOf(environment.CAREGATE_IMAP_SINCE),
    ...markOf(environment.CAREGATE_IMAP_MARK),
    ...(moveTo === '' ? {} : { moveTo: named(moveTo, 'CAREGATE_IMAP_MOVE') ?? moveTo }),
    ...(authserv === undefined ? {} : { authserv }),
    ...(circle === '' ? {} : { circle }),
  };
}

function serverOf(
  address: string,
): Pick<PickupSettings, 'host' | 'port' | 'secure' | 'local' | 'user' | 'password'> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^imaps?:$/.test(url.protocol) || url.hostname === '') {
    throw invalid(
      'CAREGATE_IMAP_URL',
      'is not the address of a mailbox; write it like `imaps://user:password@imap.example`',
    );
  }
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    throw invalid(
      'CAREGATE_IMAP_URL',
      'goes on behind the host; percent-encode `/ ? # @ :` in user and password, and name a folder with `CAREGATE_IMAP_FOLDER`',
    );
  }
  const user = decoded(url.username);
  if (user === '') {
    throw invalid('CAREGATE_IMAP_URL', 'has no user; write `imaps://user:password@imap.example`');
  }
  const password = decoded(url.password);
  const secure = url.protocol === 'imaps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 993 : 143),
    secure,
    local: /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname),
    user,
    ...(password === '' ? {} : { password }),
  };
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    if (!/\p{Cc}/u.test(plain)) return plain;
  } catch {
    // Said below: what was written there is not repeated.
  }
  throw invalid(
    'CAREGATE_IMAP_URL',
    'has a user or a password that is not percent-encoded; write `%40` for @, `%25` for %',
  );
}

function named(text: string | undefined, setting: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/\p{Cc}/u.test(text) || text.length > 250 || text.trim() !== text) {
    throw invalid(setting, 'is not the name of a folder; write it as the mailbox shows it');
  }
  return text;
}

/** A keyword is an atom (RFC 9051, 9); of the system flags only two say what a person would want said. */
function markOf(text: string | undefined): { mark?: string } {
  const mark = text === undefined || text === '' ? defaults.mark : text;
  if (mark === 'none') return {};
  const flag = { seen: '\\Seen', flagged: '\\Flagged' }[mark.toLowerCase()];
  if (flag !== undefined) return { mark: flag };
  if (/^[$A-Za-z0-9_.-]{1,60}$/.test(mark)) return { mark };
  throw invalid(
    'CAREGATE_IMAP_MARK',
    'is not a mark; write a word such as `$Caregate`, `seen`, `flagged`, or `none`',
  );
}

function sinceOf(text: string | undefined): Since {
  if (text === undefined || text === '' || text === 'now') return 'now';
  if (text === 'all') return 'all';
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return { day: text };
  throw invalid('CAREGATE_IMAP_SINCE', 'is neither `now`, `all` nor a day; write the day like `2026-12-01`');
}

function authservOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/.test(text)) return text.toLowerCase();
  throw invalid(
    'CAREGATE_IMAP_AUTHSERV',
    'is not an authserv-id; write the name that follows `Authentication-Results:` in your mails, such as `mx.home.example`',
  );
}

function invalid(setting: string, what: string): CaregateError {
  return new CaregateError('CONFIGURATION_INVALID', `setting \`${setting}\` ${what}`);
}
