import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { CaregateError } from '../../errors.ts';
import type { Clock } from '../../provenance/clock.ts';
import type { InboxOptions } from './inbox.ts';
import { isForThisMachine } from './verdicts.ts';

/** Where an SMTP inbox listens for other machines, and how it is protected there. */
export type InboxSettings = Required<Pick<InboxOptions, 'host' | 'port' | 'auth' | 'tls'>>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The inbox for other machines, where the settings open it; without `CAREGATE_INBOX_HOST` there is none.
 * @throws CaregateError `CONFIGURATION_INVALID`, which names the setting and never what stands in it
 */
export function inboxSettings(environment: Environment): InboxSettings | undefined {
  const { CAREGATE_INBOX_HOST: host = '' } = environment;
  if (host === '' || isForThisMachine(host)) return undefined;
  const need = (name: string): string => {
    const value = environment[name] ?? '';
    if (value !== '') return value;
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `setting \`${name}\` is missing; an inbox for other machines takes mail with a password and over TLS alone`,
    );
  };
  const password = need('CAREGATE_INBOX_PASSWORD');
  if (password.length < shortest) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `setting \`CAREGATE_INBOX_PASSWORD\` is shorter than ${shortest} characters; anybody on the network may try`,
    );
  }
  const files = { cert: need('CAREGATE_INBOX_CERT'), key: need('CAREGATE_INBOX_KEY') };
  readCertificate(files);
  return {
    host,
    port: portOf(environment.CAREGATE_INBOX_PORT ?? ''),
    auth: { user: need('CAREGATE_INBOX_USER'), password },
    tls: () => readCertificate(files),
  };
}

const shortest = 16;
/** Above the ports that only root may open, and after 587, where mail programs hand mail in. */
const usualPort = 4587;

function portOf(text: string): number {
  if (text === '') return usualPort;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    'setting `CAREGATE_INBOX_PORT` is not a port; write a number from 1 to 65535',
  );
}

/** The certificate and its key in PEM, as the files hold them now: whatever renews a certificate writes them anew. */
function readCertificate({ cert, key }: { cert: string; key: string }): { cert: string; key: string } {
  const text = (setting: string, file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      throw new CaregateError(
        'CONFIGURATION_INVALID',
        `setting \`${setting}\` names a file that cannot be read; name one in PEM`,
        { cause },
      );
    }
  };
  const pair = { cert: text('CAREGATE_INBOX_CERT', cert), key: text('CAREGATE_INBOX_KEY', key) };
  try {
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'settings `CAREGATE_INBOX_CERT` and `CAREGATE_INBOX_KEY` do not name a certificate and its own key; name both in PEM',
      { cause },
    );
  }
}

/** In how many whole days a certificate ends; negative for one that has. */
export function daysLeft(cert: string, clock: Clock): number {
  const ends = Date.parse(new X509Certificate(cert).validTo);
  return Math.floor((ends - clock.now()) / 86_400_000);
}
