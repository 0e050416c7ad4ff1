import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { CaregateError, isCaregateError } from '../../errors.ts';
import { isOnThisMachine } from '../endpoints/loopback.ts';
import type { AccessToken } from '../pickup/mailbox.ts';

/** What became of one mail that was handed to the relay. */
export type Handover =
  /** The relay took it, and it is the relay's from now on. */
  | { readonly outcome: 'taken' }
  /** The relay said that it will never take it, by its code of the class 5xx. */
  | { readonly outcome: 'refused'; readonly code: number }
  /** Nothing was taken, and it can be tried again. */
  | { readonly outcome: 'later'; readonly why: RelayProblem }
  /** The relay takes mail, but not this one yet: its recipient's server is away, perhaps. */
  | { readonly outcome: 'delayed' }
  /** The connection broke when the relay may have taken it already. */
  | { readonly outcome: 'unknown' };

/** What is wrong with a relay: codes of a closed list, so that nothing that a server says is repeated. */
export const relayProblems = {
  unreachable: 'it cannot be reached',
  certificate: 'its certificate does not hold',
  'no-tls': 'it offers no TLS, and nothing goes out in the clear',
  credentials: 'it refuses user or password; some providers want an app password',
  'sign-in': 'the sign-in has run out; sign in again with `caregate sign-in`',
  busy: 'it asks to be tried later',
} as const;
export type RelayProblem = keyof typeof relayProblems;

export interface Letter {
  readonly source: string;
  readonly destinations: readonly string[];
  readonly raw: Uint8Array;
}

/** The household's own mail provider, as far as it takes mail for others. */
export interface Transport {
  send(letter: Letter): Promise<Handover>;
  /** Connects and signs in, sending nothing. Gives what is wrong, or nothing. */
  check(): Promise<RelayProblem | undefined>;
  /** Breaks off what is under way. */
  close(): void;
}

const seconds = 1000;

/**
 * How long one mail may take in all, in milliseconds: 40 MB need it on a slow line. A server that says a little from time
 * to time is never silent for long enough, and would keep all other mails waiting.
 */
const mostTime = 15 * 60 * seconds;

/**
 * Reads the address of a relay: `smtps://user:password@host` (TLS from the start, port 465) or `smtp://…` (STARTTLS,
 * port 587). A password or a token never travels in the clear: without TLS only a relay on this machine is taken.
 * @param token gives an access token for the account, where the address has a user and no password
 * @param patience how long one mail may take in all, in milliseconds
 * @throws CaregateError `CONFIGURATION_INVALID`, which names no part of the address
 */
export function openTransport(address: string, token?: AccessToken, patience = mostTime): Transport {
  const closing = new AbortController();
  const relay = readAddress(address);
  const { user, password } = relay;
  if (user !== '' && password === '' && token === undefined) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'setting `CAREGATE_SMTP_URL` has no password; write one, or sign in with `caregate sign-in`',
    );
  }
  const byToken = user !== '' && password === '' ? token : undefined;
  const auth = user === '' ? {} : { auth: { user, pass: password } };
  // A token ends, so each connection asks for the one that is good now.
  const client = async () =>
    createTransport({
      ...relay.options,
      ...(byToken === undefined
        ? auth
        : { auth: { type: 'OAuth2' as const, user, accessToken: await byToken() } }),
    });
  return {
    async send({ source, destinations, raw }) {
      const text = new WatchedText(raw);
      try {
        const envelope = { from: source, to: [...destinations] };
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(patience)]);
        await (await client()).sendMail({ envelope, raw: text.stream, signal });
        return { outcome: 'taken' };
      } catch (error) {
        return handoverOf(error as SmtpError, text.isRead, byToken !== undefined);
      }
    },
    async check() {
      try {
        await (await client()).verify();
        return undefined;
      } catch (error) {
        return problemOf(error as SmtpError, byToken !== undefined);
      }
    },
    // Each mail has a connection of its own, which ends with it.
    close: () => closing.abort(),
  };
}

function readAddress(address: string) {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'setting `CAREGATE_SMTP_URL` is not the address of a relay; write it like `smtps://user:password@smtp.example`',
    );
  }
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') throw unencoded();
  const secure = url.protocol === 'smtps:';
  return {
    user: decoded(url.username),
    password: decoded(url.password),
    options: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (secure ? 465 : 587),
      secure,
      requireTLS: !secure && !isOnThisMachine(address),
      disableFileAccess: true,
      disableUrlAccess: true,
      connectionTimeout: 30 * seconds,
      greetingTimeout: 30 * seconds,
      socketTimeout: 120 * seconds,
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unencoded();
  }
}

function unencoded(): CaregateError {
  return new CaregateError(
    'CONFIGURATION_INVALID',
    'setting `CAREGATE_SMTP_URL` goes on behind the host, or is not percent-encoded; write `%40` for @, `%25` for %, `%23` for #, `%2F` for /',
  );
}

/** What nodemailer says of a failure: its own kind, and the relay's answer. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  /** What the relay answered to, such as `RCPT TO`. */
  readonly command?: string;
}

/** A mail's text that knows whether all of it was read: from then on the relay may have it. */
class WatchedText {
  isRead = false;
  readonly stream: Readable;

  constructor(bytes: Uint8Array) {
    const watched = this;
    this.stream = Readable.from(
      (async function* () {
        yield Buffer.from(bytes);
        watched.isRead = true;
      })(),
      { objectMode: false },
    );
  }
}

/**
 * @param isRead whether the whole text was handed over: a connection that ends then says nothing about the mail
 * @param byToken whether a token stood for the password
 */
function handoverOf(error: SmtpError, isRead: boolean, byToken: boolean): Handover {
  const { responseCode } = error;
  if (isSignIn(error)) return { outcome: 'later', why: problemOf(error, byToken) };
  if (responseCode === undefined && isRead) return { outcome: 'unknown' };
  // What the relay says before it knows of a mail (a block of the address, no TLS) is about itself, whatever its code.
  if (responseCode !== undefined && responseCode >= 500 && isAbout(error, ['MAIL FROM', 'RCPT TO', 'DATA'])) {
    return { outcome: 'refused', code: responseCode };
  }
  if (responseCode !== undefined && responseCode < 500 && isAbout(error, ['RCPT TO', 'DATA'])) {
    return { outcome: 'delayed' };
  }
  return { outcome: 'later', why: problemOf(error, byToken) };
}

function isAbout({ command }: SmtpError, commands: readonly string[]): boolean {
  return commands.includes(command ?? '');
}

/** RFC 4954, 6; and what relays say that want a sign-in first. */
const signInCodes: readonly (number | undefined)[] = [503, 530, 534, 535, 538];

/** Whether nobody was let in: then no mail was handed over either. */
function isSignIn(error: SmtpError): boolean {
  const { code, responseCode } = error;
  if (isAbout(error, ['MAIL FROM']) && signInCodes.includes(responseCode)) return true;
  return ['EAUTH', 'EOAUTH2'].includes(code ?? '') || isCaregateError(error);
}

function problemOf(error: SmtpError, byToken: boolean): RelayProblem {
  if (isCaregateError(error)) return isCaregateError(error, 'SIGN_IN_EXPIRED') ? 'sign-in' : 'unreachable';
  if (isSignIn(error)) return byToken ? 'sign-in' : 'credentials';
  const { code, message, responseCode } = error;
  if (error.command === 'STARTTLS' && responseCode !== undefined) return 'no-tls';
  if (isCertificate(code) || /certificate|altnames/i.test(message)) return 'certificate';
  return responseCode === undefined ? 'unreachable' : 'busy';
}

function isCertificate(code: string | undefined): boolean {
  return /CERT|ETLS|ERR_TLS|DEPTH_ZERO/.test(code ?? '');
}
