import { CaregateError } from '../../errors.ts';
import { isOnThisMachine } from '../endpoints/loopback.ts';

/** Where a household signs in, and as what: the client is one that the household registered itself. */
export interface SignInProvider {
  readonly clientId: string;
  /** Gives the code that a person types in. */
  readonly deviceEndpoint: string;
  readonly tokenEndpoint: string;
  /** What is asked for, with spaces between. */
  readonly scope: string;
}

/** Microsoft's, for personal accounts and those of organisations alike: mail by IMAP and SMTP, and a refresh token. */
const microsoft = {
  deviceEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/devicecode',
  tokenEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  scope:
    'https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access',
} as const;

/**
 * The provider that the settings name; Microsoft's addresses unless others are said.
 * @throws CaregateError `CONFIGURATION_INVALID`, naming the setting
 */
export function signInProvider(environment: Readonly<Record<string, string | undefined>>): SignInProvider {
  const clientId = environment.CAREGATE_OAUTH_CLIENT_ID ?? '';
  if (clientId === '') {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'setting `CAREGATE_OAUTH_CLIENT_ID` is missing; register an application with your provider and put its id there',
    );
  }
  const { CAREGATE_OAUTH_DEVICE_URL: device = '', CAREGATE_OAUTH_TOKEN_URL: token = '' } = environment;
  const scope = environment.CAREGATE_OAUTH_SCOPE ?? '';
  if ((device === '') !== (token === '') || (device !== '' && scope === '')) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'settings `CAREGATE_OAUTH_DEVICE_URL`, `CAREGATE_OAUTH_TOKEN_URL` and `CAREGATE_OAUTH_SCOPE` belong together; set all three',
    );
  }
  if (device === '') return { clientId, ...microsoft, ...(scope === '' ? {} : { scope }) };
  return {
    clientId,
    deviceEndpoint: endpoint('CAREGATE_OAUTH_DEVICE_URL', device),
    tokenEndpoint: endpoint('CAREGATE_OAUTH_TOKEN_URL', token),
    scope,
  };
}

function endpoint(setting: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isOnThisMachine(address))) return url.href;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `setting \`${setting}\` is not the address of a sign-in; write one that begins with \`https://\``,
  );
}
