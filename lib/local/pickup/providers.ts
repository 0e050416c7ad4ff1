import type { ProblemDetail } from './problems.ts';
import type { PickupSettings } from './settings.ts';

/** A provider of mailboxes as households have them: where it is reached, and what goes wrong there most. */
export interface MailboxProvider {
  readonly name: string;
  readonly imap: string;
  /** The domains of its addresses; those of a household's own may lie there too. */
  readonly domains: readonly string[];
  /** Hosts that its mailboxes are reached by. */
  readonly hosts: RegExp;
  readonly password: string;
  /** Whether it takes a sign-in by token alone. */
  readonly tokenOnly?: true;
}

export const mailboxProviders: readonly MailboxProvider[] = [
  {
    name: 'Gmail',
    imap: 'imap.gmail.com',
    domains: ['gmail.com', 'googlemail.com'],
    hosts: /^imap\.(?:gmail|googlemail)\.com$/,
    password:
      'Gmail wants an app password (Google account, 2-step verification, app passwords) or a sign-in, and the whole address as user',
  },
  {
    name: 'iCloud',
    imap: 'imap.mail.me.com',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    hosts: /(?:^|[.-])imap\.mail\.me\.com$/,
    password:
      'iCloud wants an app-specific password (account.apple.com, sign-in and security); as user the part before @icloud.com, or else the whole address',
  },
  {
    name: 'Outlook.com',
    imap: 'outlook.office365.com',
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    hosts: /^(?:outlook\.office365\.com|imap-mail\.outlook\.com)$/,
    password:
      'Outlook.com takes no passwords any longer: sign in with `caregate sign-in`, and see in its settings that IMAP is on',
    tokenOnly: true,
  },
  {
    name: 'Fastmail',
    imap: 'imap.fastmail.com',
    domains: ['fastmail.com', 'fastmail.fm'],
    hosts: /^imap\.fastmail\.com$/,
    password: 'Fastmail wants an app password (settings, privacy and security, app passwords)',
  },
];

/** The provider that an IMAP server belongs to. */
export function providerOfHost(host: string): MailboxProvider | undefined {
  return mailboxProviders.find(({ hosts }) => hosts.test(host.toLowerCase()));
}

/** The provider that an address lies at, as far as its domain says it. */
export function providerOfAddress(address: string): MailboxProvider | undefined {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return mailboxProviders.find(({ domains }) => domains.includes(domain));
}

/**
 * The setting for an address's own mailbox, as far as it can be known: what stands in capitals is to be filled in.
 */
export function suggestedUrl(address: string): string {
  const provider = providerOfAddress(address);
  const user = encodeURIComponent(address);
  const password = provider?.tokenOnly === true ? '' : ':APP-PASSWORD';
  return `imaps://${user}${password}@${provider?.imap ?? 'IMAP-SERVER'}`;
}

/** What usually is behind a problem at this server, in one line; nothing where the problem says it all. */
export function usualMistake(
  { host, folder }: Pick<PickupSettings, 'host' | 'folder'>,
  detail: ProblemDetail,
): string | undefined {
  const provider = providerOfHost(host);
  switch (detail) {
    case 'password':
      return (
        provider?.password ??
        'many providers want an app password, the whole address as user, and IMAP switched on in their settings'
      );
    case 'token':
      return 'sign in again with `caregate sign-in`';
    case 'folder':
    case 'move-folder':
      return provider?.name === 'Gmail'
        ? 'a label is named with the labels above it, such as `Care/Letters`, and must be shown in IMAP (settings, labels)'
        : `make the folder in your mail program, or name another one; a folder below another is named with both, such as \`${folder}.Letters\` or \`${folder}/Letters\``;
    case 'quota':
      return 'make room in your mail program: Caregate deletes nothing';
    case 'certificate':
      return 'name the host as your provider does; for a server of your own name its certificate in `NODE_EXTRA_CA_CERTS`';
    case 'no-tls':
      return 'write `imaps://` in place of `imap://`, or have STARTTLS switched on';
    case 'name':
    case 'refused':
    case 'timeout':
      return 'look whether the host and the port are what your provider names, and whether the network works';
    case 'mark':
      return 'where the account may only read there, set `CAREGATE_IMAP_MARK=none`, and no folder to move to';
    case 'busy':
    case 'closed':
      return undefined;
  }
}
