import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** What the household's provider took. */
export interface Taken {
  readonly from: string;
  readonly to: string[];
  readonly raw: string;
}

/** What a provider says in place of taking a mail. */
export function reply(responseCode: number): Error {
  return Object.assign(new Error('refused'), { responseCode });
}

/** A mail provider that takes what it is given, as far as the options let it. Gone after the test. */
export async function provider(options: SMTPServerOptions = {}): Promise<{ taken: Taken[]; port: number }> {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    allowInsecureAuth: true,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        taken.push({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() });
        done();
      });
    },
    ...options,
  });
  const port = await new Promise<number>((resolve) => {
    const socket = server.listen(0, '127.0.0.1', () => resolve((socket.address() as AddressInfo).port));
  });
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { taken, port };
}
