import { connect, type OfficeConnection } from '../local/connection.ts';
import { findConnection, openDataDirectory } from '../local/datadirectory.ts';
import { type InboxSettings, inboxSettings } from '../local/mailbox/settings.ts';
import { isSignedIn, SignIn } from '../local/oauth/signin.ts';
import { type OfficeOptions, openOffice } from '../local/office.ts';
import type { MailboxAccess } from '../local/pickup/mailbox.ts';
import { pickupSettings } from '../local/pickup/settings.ts';
import { type OwnModel, ownModel } from '../local/reader/ownmodel.ts';
import { openTransport, type Transport } from '../local/relay/transport.ts';
import { systemClock } from '../provenance/clock.ts';

/** What every command takes. */
export interface CommonOptions {
  readonly data: string;
  readonly json?: boolean;
}

/** An office to work with, and the outbox of its machine. */
export interface Session {
  readonly office: OfficeConnection;
  readonly outbox: string;
  readonly started: boolean;
}

/**
 * Runs `work` against the office that runs on the data directory, or against one that is started for the purpose
 * and stopped afterwards.
 */
export async function withOffice<T>(
  options: CommonOptions,
  work: (session: Session) => Promise<T>,
  onCall?: OfficeOptions['onCall'],
): Promise<T> {
  const running = findConnection(options.data);
  if (running !== undefined) {
    const office = connect(running);
    try {
      return await work({ office, outbox: openDataDirectory(options.data).outbox, started: false });
    } finally {
      office.close();
    }
  }
  const office = await openOffice({
    ...modelFromEnvironment(),
    ...transportFromEnvironment(options.data),
    ...pagesFromEnvironment(),
    data: options.data,
    ...(onCall ? { onCall } : {}),
  });
  try {
    const result = await work({ office: office.connection, outbox: office.data.outbox, started: true });
    await office.idle();
    return result;
  } finally {
    await office.close();
  }
}

/**
 * The household's mail provider that one setting names, unless another switches sending off.
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function transportFromEnvironment(data: string): { transport?: Transport } {
  const address = process.env.CAREGATE_SMTP_URL ?? '';
  return address === '' || process.env.CAREGATE_SENDING === 'off'
    ? {}
    : { transport: openTransport(address, tokenOf(data)) };
}

/**
 * An SMTP inbox for other machines, where the settings open it.
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function inboxFromEnvironment(): { inbox?: InboxSettings } {
  const inbox = inboxSettings(process.env);
  return inbox === undefined ? {} : { inbox };
}

/**
 * The household's mailbox that mail is picked up from, where one is named.
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function mailboxFromEnvironment(data: string): { mailbox?: MailboxAccess } {
  const settings = pickupSettings(process.env);
  return settings === undefined ? {} : { mailbox: { settings, token: tokenOf(data) } };
}

/** What gives access tokens, where somebody has signed in to the provider. */
function tokenOf(data: string): (() => Promise<string>) | undefined {
  const { signIn: file } = openDataDirectory(data);
  if (!isSignedIn(file)) return undefined;
  const signIn = new SignIn({ file, clock: systemClock });
  return () => signIn.token();
}

/**
 * The household's model, where one setting names it; without it the offline reader answers.
 * @throws CaregateError `CONFIGURATION_INVALID`
 */
export function modelFromEnvironment(): { ownModel?: OwnModel } {
  const own = ownModel(process.env);
  return own === undefined ? {} : { ownModel: own };
}

/** How the pages are reached from elsewhere, by what a command says or by the settings. */
export function pagesFromEnvironment(
  said: Pick<OfficeOptions, 'publicUrl' | 'host'> = {},
): Pick<OfficeOptions, 'publicUrl' | 'host'> {
  const setting = (name: string): string | undefined => process.env[name] || undefined;
  return {
    publicUrl: said.publicUrl ?? setting('CAREGATE_PUBLIC_URL'),
    host: said.host ?? setting('CAREGATE_HOST'),
  };
}
