import type { AddressInfo } from 'node:net';
import type { S3Client } from '@aws-sdk/client-s3';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { CaregateError } from '../../errors.ts';
import type { Clock } from '../../provenance/clock.ts';
import type { Randomness } from '../../provenance/randomness.ts';
import { listenError } from '../endpoints/loopback.ts';
import { sameText } from '../endpoints/signature.ts';
import { SignInAttempts } from './attempts.ts';
import { type Reception, type SesEvent, sesEvent } from './event.ts';
import { type EventKeeping, receiverName, storeKept, storeMail, traceHeaders } from './reception.ts';
import { isForThisMachine, type VerdictsOf } from './verdicts.ts';

export interface InboxOptions extends EventKeeping {
  readonly s3: S3Client;
  readonly bucket: string;
  /** The addresses that mail is taken for, asked anew for each one. */
  readonly recipients: () => readonly string[];
  /** The port, or 0 for any that is free. */
  readonly port: number;
  /** Where to listen; 127.0.0.1 if nothing is said. Beyond loopback `auth` and `tls` are required. */
  readonly host?: string;
  readonly auth?: { readonly user: string; readonly password: string };
  /** Reads certificate and key in PEM, for STARTTLS: a password never travels in the clear. */
  readonly tls?: () => { readonly key: string; readonly cert: string };
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly verdicts: VerdictsOf;
  /** Told of each mail that is stored, as SES tells its Lambda action. If it fails, the mail is there all the same. */
  readonly deliver: (event: SesEvent) => Promise<void>;
  /** Told of what went wrong; never of content or addresses. */
  readonly log?: (line: string) => void;
}

export interface Inbox {
  readonly port: number;
  /** Takes up a certificate that was renewed. */
  renew(): void;
  /** Stops listening, after the mails under way are stored and delivered. */
  close(): Promise<void>;
}

/** SES takes mails of 40 MB. */
export const mailLimit = 40 * 1024 * 1024;
const clientLimit = 20;
const closeMilliseconds = 2000;

/**
 * An SMTP receiver that does what SES does with a mail: takes it for the given recipients only, puts its trace headers in
 * front, stores the bytes, and then tells the Lambda action. It answers 250 only when the mail is stored, and does not
 * look into it: what is not a mail is stored too, for the workflow to quarantine.
 * @throws CaregateError `PORT_IN_USE`; `CONFIGURATION_INVALID` for a host beyond loopback without `auth` and `tls`
 */
export async function startInbox(options: InboxOptions): Promise<Inbox> {
  const host = options.host ?? '127.0.0.1';
  requireProtection(host, options);
  const deliveries = new Set<Promise<void>>();
  const server = new SMTPServer({
    name: receiverName,
    banner: 'Caregate',
    size: mailLimit,
    maxClients: clientLimit,
    closeTimeout: closeMilliseconds,
    disableReverseLookup: true,
    logger: false,
    ...protection(options, new SignInAttempts(options.clock)),
    onRcptTo: ({ address }, _session, done) => {
      const known = options.recipients().some((each) => each.toLowerCase() === address.toLowerCase());
      done(known ? null : refusal(550, 'no such mailbox here'));
    },
    onData: (stream, session, done) => {
      receive(stream, session, options).then(
        (event) => {
          // As SES does, the answer names the delivery, so that a sender can ask what became of it.
          done(null, `Ok ${event.Records[0]?.ses.mail.messageId ?? ''}`);
          track(deliveries, deliver(event, options));
        },
        (error: Error) => done('responseCode' in error ? error : storageFailed(error, options)),
      );
    },
  });
  server.on('error', (error) => options.log?.(`inbox: a connection failed: ${error.name}`));
  const port = await listen(server, options.port, host);
  let certificate = options.tls?.().cert;
  return {
    port,
    renew: () => {
      const pair = options.tls?.();
      if (pair === undefined || pair.cert === certificate) return;
      server.updateSecureContext(pair);
      certificate = pair.cert;
    },
    close: async () => {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(deliveries);
    },
  };
}

async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  options: InboxOptions,
): Promise<SesEvent> {
  const chunks: Buffer[] = [];
  // What is too large is read to its end, and kept no longer than that is known.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (stream.sizeExceeded) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (stream.sizeExceeded) throw refusal(552, `the mail is larger than ${mailLimit} bytes`);
  const { mailFrom, rcptTo } = session.envelope;
  const reception: Reception = {
    messageId: Buffer.from(options.randomness.bytes(20)).toString('hex'),
    source: mailFrom === false ? '' : mailFrom.address,
    recipients: [...new Set(rcptTo.map(({ address }) => address))],
  };
  const { hostNameAppearsAs, remoteAddress } = session;
  const trace = traceHeaders(reception, hostNameAppearsAs, remoteAddress, options.clock);
  const authenticated = session.user !== undefined;
  const event = sesEvent(
    reception,
    options.verdicts({ remoteAddress, authenticated }, reception),
    options.clock,
  );
  // Kept first: bytes whose sender is told to try again would be a second case besides the one of that try.
  const mail = Buffer.concat([Buffer.from(trace), ...chunks]);
  await storeKept(event, options, () => storeMail(options.s3, options.bucket, reception.messageId, mail));
  return event;
}

async function deliver(event: SesEvent, { deliver: tell, log }: InboxOptions): Promise<void> {
  try {
    await tell(event);
  } catch (error) {
    log?.(`inbox: a stored mail was not taken up: ${error instanceof Error ? error.name : 'unknown'}`);
  }
}

function requireProtection(host: string, { auth, tls }: InboxOptions): void {
  if (isForThisMachine(host)) return;
  if (auth !== undefined && tls !== undefined) return;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `inbox host \`${host}\` is open to other machines; set a user, a password and a certificate`,
  );
}

// smtp-server brings a certificate whose key is published; without one of our own there is no STARTTLS.
function protection({ auth, tls }: InboxOptions, attempts: SignInAttempts) {
  if (auth === undefined)
    return { disabledCommands: tls === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'], ...tls?.() };
  return {
    ...tls?.(),
    ...(tls === undefined ? { disabledCommands: ['STARTTLS'], allowInsecureAuth: true } : {}),
    onAuth: (
      given: { username?: string | undefined; password?: string | null | undefined },
      { remoteAddress }: SMTPServerSession,
      done: (error: Error | null, response?: { user: string }) => void,
    ) => {
      if (attempts.isBlocked(remoteAddress)) {
        done(refusal(421, 'too many wrong passwords; try again later'));
        return;
      }
      // Both are compared, so that the time does not tell which one was wrong.
      const user = sameText(given.username ?? '', auth.user);
      const password = sameText(given.password ?? '', auth.password);
      if (user && password) {
        attempts.succeeded(remoteAddress);
        done(null, { user: auth.user });
        return;
      }
      attempts.failed(remoteAddress);
      done(refusal(535, 'user or password is wrong'));
    },
  };
}

function listen(server: SMTPServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(listenError(error, port));
    server.once('error', refuse);
    const socket = server.listen(port, host, () => {
      server.off('error', refuse);
      resolve((socket.address() as AddressInfo).port);
    });
  });
}

function track(running: Set<Promise<void>>, work: Promise<void>): void {
  running.add(work);
  void work.finally(() => running.delete(work));
}

function storageFailed(error: Error, { log }: InboxOptions): Error {
  log?.(`inbox: a mail could not be stored: ${error.name}`);
  return refusal(451, 'the mail could not be stored; try again later');
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new CaregateError('INVALID_INPUT', message), { responseCode });
}
