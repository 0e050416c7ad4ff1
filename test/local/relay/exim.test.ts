import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Outbox } from '../../../lib/local/endpoints/outbox.ts';
import { relayEnds } from '../../../lib/local/relay/ends.ts';
import { Relay } from '../../../lib/local/relay/relay.ts';
import { openTransport } from '../../../lib/local/relay/transport.ts';
import { Troubles } from '../../../lib/local/troubles.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { type Exim, noExim, openExim, relayUser } from '../../support/exim.ts';
import { ManualClock } from '../../support/time.ts';

const mails = process.env.CAREGATE_FULL === '1' ? 60 : 8;
const hour = 3_600_000;
let exim: Exim;
const before = getCACertificates();

/** What an office has for sending, in a directory of its own. */
async function sending(address = (port: number): string => urlOf(port), port = exim.port) {
  const root = await temporaryDirectory();
  const clock = new ManualClock('2027-03-01T09:00:00.000Z');
  const outbox = join(root, 'outbox');
  const box = await Outbox.open(outbox);
  const troubles = new Troubles({ file: join(root, 'troubles.json'), clock });
  const relay = new Relay({
    outbox,
    transport: openTransport(address(port)),
    clock,
    troubles,
    log: () => {},
  });
  onTestFinished(() => relay.close());
  const accept = async (
    subject: string,
    to: string,
    kind: 'notice' | 'caregate-attempt' = 'caregate-attempt',
  ) => {
    const envelope = {
      id: subject,
      at: '2027-03-01T09:00:00.000Z',
      source: 'care@home.example',
      destinations: [to],
    };
    await box.keep(
      { ...envelope, tags: { [kind]: 'a' } },
      Buffer.from(`Subject: ${subject}\r\n\r\n${'Hello.\r\n'.repeat(4000)}`),
    );
  };
  const work = async (): Promise<void> => {
    clock.advance(2 * hour);
    await relay.work();
  };
  const ends = async () =>
    Object.fromEntries([...(await relayEnds(outbox))].map(([id, { outcome }]) => [id, outcome]));
  return { accept, work, ends, said: () => troubles.list().map(({ id }) => id) };
}

function urlOf(port: number, password = relayUser.password): string {
  return `smtp://${relayUser.user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
}

/** How often the relay has taken each of these. */
function times(subjects: readonly string[]): number[] {
  const taken = exim.taken().map(({ subject }) => subject);
  return subjects.map((each) => taken.filter((subject) => subject === each).length);
}

/** Bytes that a client has sent only once a letter went through, and no dialogue before it: all of it is ciphertext. */
const wholeLetter = 32_000;

/** A line to the relay that can be cut: at once, or as soon as a mail's whole text went through. */
async function line(port: number) {
  let cutAfterData = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const relay = connect(port, '127.0.0.1');
    for (const socket of [client, relay]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    let bytes = 0;
    client.on('data', (chunk) => {
      bytes += chunk.length;
      relay.write(chunk);
      if (cutAfterData && bytes > wholeLetter) setTimeout(() => client.destroy(), 300);
    });
    relay.on('data', (chunk) => {
      if (!(cutAfterData && bytes > wholeLetter)) client.write(chunk);
    });
    client.on('close', () => relay.end());
    relay.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cutAfterData: (cut: boolean) => {
      cutAfterData = cut;
    },
  };
}

describe.skipIf(noExim !== undefined)(
  `a real relay${noExim === undefined ? '' : ` (skipped: ${noExim})`}`,
  () => {
    beforeAll(async () => {
      exim = await openExim();
      await exim.start();
      setDefaultCACertificates([...before, exim.certificate]);
    });
    afterAll(async () => {
      setDefaultCACertificates(before);
      await exim.remove();
    });

    it(`takes ${mails} mails once each, although it is ended and started again in between`, async () => {
      const { accept, work, ends, said } = await sending();
      const subjects = Array.from({ length: mails }, (_, count) => `many-${count}`);
      for (const [count, subject] of subjects.entries()) {
        await accept(subject, 'maya@family.example', count % 2 === 0 ? 'notice' : 'caregate-attempt');
        if (count === Math.floor(mails / 2)) {
          await exim.stop();
          await work();
          expect(said()).toEqual(['relay-unreachable']);
          await exim.start();
        }
        if (count % 4 === 3) await work();
      }
      await work();
      expect(times(subjects)).toEqual(subjects.map(() => 1));
      expect([...new Set(Object.values(await ends()))]).toEqual(['taken']);
      expect(said()).toEqual([]);
    }, 60_000);

    it('that refuses a recipient is told of, and what comes after it leaves', async () => {
      const { accept, work, ends, said } = await sending();
      await accept('to-nobody', 'gone@family.example');
      await work();
      expect(said()).toEqual(['relay-rejects']);
      await accept('to-somebody', 'maya@family.example');
      await work();
      expect(await ends()).toEqual({ 'to-nobody': 'refused', 'to-somebody': 'taken' });
      expect(times(['to-nobody', 'to-somebody'])).toEqual([0, 1]);
    }, 60_000);

    it('that asks to be tried later is, and then takes it once', async () => {
      const { accept, work, ends, said } = await sending();
      await accept('greylisted', 'grey@family.example');
      await work();
      expect([said(), await ends()]).toEqual([['relay-delays'], {}]);
      exim.welcomeGrey();
      await work();
      expect([said(), await ends(), times(['greylisted'])]).toEqual([[], { greylisted: 'taken' }, [1]]);
    }, 60_000);

    it('that refuses the password keeps everything waiting, and says why', async () => {
      const { accept, work, ends, said } = await sending((port) => urlOf(port, 'wrong'));
      await accept('kept', 'maya@family.example');
      await work();
      expect([said(), await ends(), times(['kept'])]).toEqual([['relay-password-wrong'], {}, [0]]);
    }, 60_000);

    it('whose answer to a whole letter is lost may have it, so that the letter is not sent again', async () => {
      const proxy = await line(exim.port);
      const { accept, work, ends } = await sending(urlOf, proxy.port);
      proxy.cutAfterData(true);
      await accept('lost', 'maya@family.example');
      await work();
      proxy.cutAfterData(false);
      await work();
      await work();
      const { lost } = await ends();
      expect([lost, times(['lost'])[0]]).toEqual([
        'unknown',
        expect.toSatisfy((count: number) => count <= 1),
      ]);
    }, 60_000);
  },
);
