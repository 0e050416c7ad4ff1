import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { CaregateError } from '../../errors.ts';

/** What became of one mail that was handed to the relay. */
export type Handover =
  /** The relay took it, and it is the relay's from now on. */
  | { readonly outcome: 'taken' }
  /** The relay said that it will never take it, by its code of the class 5xx. */
  | { readonly outcome: 'refused'; readonly code: number }
  /** Nothing was taken, and it can be tried again. */
  | { readonly outcome: 'later'; readonly why: RelayProblem }
  /** The connection broke when the relay may have taken it already. */
  | { readonly outcome: 'unknown' };

/** What is wrong with a relay: codes of a closed list, so that nothing that a server says is repeated. */
export const relayProblems = {
  unreachable: 'it cannot be reached',
  certificate: 'its certificate does not hold',
  credentials: 'it refuses user or password; some providers want an app password',
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
  close(): void;
}

const seconds = 1000;

/**
 * Reads the address of a relay: `smtps://user:password@host` (TLS from the start, port 465) or `smtp://…` (STARTTLS,
 * port 587). A password never travels in the clear: without TLS only a relay on this machine is taken.
 * @throws CaregateError `CONFIGURATION_INVALID`, which names no part of the address
 */
export function openTransport(address: string): Transport {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'setting `CAREGATE_SMTP_URL` is not the address of a relay; write it like `smtps://user:password@smtp.example`',
    );
  }
  const secure = url.protocol === 'smtps:';
  const local = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const user = decodeURIComponent(url.username);
  const client = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !local,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: 30 * seconds,
    greetingTimeout: 30 * seconds,
    socketTimeout: 120 * seconds,
  });
  return {
    async send({ source, destinations, raw }) {
      const text = new WatchedText(raw);
      try {
        await client.sendMail({ envelope: { from: source, to: [...destinations] }, raw: text.stream });
        return { outcome: 'taken' };
      } catch (error) {
        return handoverOf(error as SmtpError, text.isRead);
      }
    },
    async check() {
      try {
        await client.verify();
        return undefined;
      } catch (error) {
        return problemOf(error as SmtpError);
      }
    },
    close: () => client.close(),
  };
}

/** What nodemailer says of a failure: its own kind, and the relay's answer. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
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

/** @param isRead whether the whole text was handed over: a connection that ends then says nothing about the mail */
function handoverOf(error: SmtpError, isRead: boolean): Handover {
  const { code, responseCode } = error;
  if (code === 'EAUTH') return { outcome: 'later', why: 'credentials' };
  if (responseCode !== undefined && responseCode >= 500) return { outcome: 'refused', code: responseCode };
  if (responseCode === undefined && isRead) return { outcome: 'unknown' };
  return { outcome: 'later', why: problemOf(error) };
}

function problemOf({ code, message, responseCode }: SmtpError): RelayProblem {
  if (code === 'EAUTH') return 'credentials';
  if (isCertificate(code) || /certificate|altnames/i.test(message)) return 'certificate';
  return responseCode === undefined ? 'unreachable' : 'busy';
}

function isCertificate(code: string | undefined): boolean {
  return /CERT|ETLS|ERR_TLS|DEPTH_ZERO/.test(code ?? '');
}
