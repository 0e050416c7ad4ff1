import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { layout } from '../../../lib/casefile/layout.ts';
import { type Dovecot, noDovecot, startDovecot, startWire, type Wire } from '../../support/dovecot.ts';
import { freshData, type OfficeProcess, startOffice } from '../../support/office.ts';
import { seededRandomness } from '../../support/time.ts';

const full = process.env.CAREGATE_FULL === '1';
const mails = Number(process.env.CAREGATE_MAILS ?? 200);
const seed = Number(process.env.CAREGATE_SEED ?? 7);
const why = noDovecot ?? (full ? undefined : 'minutes long; with CAREGATE_FULL=1');

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

const marker = (number: number): string => `Letter-${String(number).padStart(4, '0')}.`;

/** One in ten is from a contact, as the household's server found out; the others are from strangers. */
function letter(number: number): string {
  const known = number % 10 === 0;
  const sender = known ? 'appointments@northgate-cardiology.example' : `stranger-${number}@elsewhere.example`;
  return [
    `Return-Path: <${sender}>`,
    'Authentication-Results: mx.home.example;',
    ` dmarc=${known ? 'pass' : 'none'} header.from=${sender.split('@')[1]}`,
    `Received: from mail.example by mx.home.example with ESMTPS id ${number}`,
    `From: <${sender}>`,
    'To: <everybody@home.example>',
    `Subject: ${marker(number)}`,
    `Message-ID: <${number}@elsewhere.example>`,
    '',
    `Nothing needs to be done. ${'x'.repeat(number % 97)}`,
    '',
  ].join('\r\n');
}

/** What each mail number happens to: the same every time for a seed. */
function mishap(
  number: number,
  draw: () => number,
): 'cut' | 'restart' | 'down' | 'renumber' | 'kill' | 'calm' {
  if (number === 0) return 'calm';
  if (number % 50 === 20) return 'renumber';
  if (number % 40 === 13) return 'kill';
  if (number % 25 === 7) return 'restart';
  if (number % 25 === 17) return 'down';
  return draw() < 40 ? 'cut' : 'calm';
}

async function settled(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    if (await holds().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`it never came true: ${what}`);
}

/** The letters behind the cases of an office, one for each case, in order. */
async function lettersOf({ connection }: OfficeProcess): Promise<string[]> {
  const cases = await connection.index.list(connection.circle);
  const found = await Promise.all(
    cases.map(async ({ case: id }) => {
      const mail = await connection.store.read(layout.mail({ circle: connection.circle, case: id }));
      return /Subject: (Letter-\d{4}\.)/.exec(Buffer.from(mail.bytes).toString('latin1'))?.[1] ?? id;
    }),
  );
  return found.sort();
}

class Household {
  readonly data = freshData();
  office: OfficeProcess | undefined;
  readonly #server: Dovecot;
  readonly #wire: Wire;

  constructor(server: Dovecot, wire: Wire) {
    this.#server = server;
    this.#wire = wire;
    mkdirSync(this.data, { recursive: true });
    copyFileSync('rules/circle.example.yaml', join(this.data, 'circle.yaml'));
  }

  async open(): Promise<OfficeProcess> {
    const { user, password, certificateFile } = this.#server;
    const account = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    this.office = await startOffice(this.data, [], {
      CAREGATE_IMAP_URL: `imaps://${account}@127.0.0.1:${this.#wire.port}`,
      CAREGATE_IMAP_AUTHSERV: 'mx.home.example',
      NODE_EXTRA_CA_CERTS: certificateFile,
    });
    return this.office;
  }

  async kill(): Promise<void> {
    await this.office?.kill();
    this.office = undefined;
  }
}

test.skipIf(why !== undefined)(
  `each of ${mails} mails is one case, whatever ends in between${why === undefined ? '' : ` (skipped: ${why})`}`,
  async () => {
    const server = await startDovecot();
    closing.push(() => server.remove());
    const wire = await startWire(server.tlsPort);
    closing.push(() => wire.close());
    server.deliver('Subject: what lay there before\r\n\r\nNot for Caregate.\r\n');
    const home = new Household(server, wire);
    closing.push(() => home.kill());
    await home.open();
    const cursors = join(home.data, 'pickup');
    await settled('the mailbox was looked into', async () => readFileSync(cursorIn(cursors)).length > 0);
    const bytes = seededRandomness(seed);
    const draw = (): number => bytes.bytes(1)[0] ?? 0;
    const mishaps: Record<string, number> = {};
    for (let number = 0; number < mails; number += 1) {
      const what = mishap(number, draw);
      mishaps[what] = (mishaps[what] ?? 0) + 1;
      if (what === 'down') await server.stop();
      server.deliver(letter(number));
      await new Promise((resolve) => setTimeout(resolve, draw()));
      if (what === 'cut') {
        await settled('there is a connection to cut', async () => wire.inUse);
        await new Promise((resolve) => setTimeout(resolve, draw()));
        wire.cut();
      }
      if (what === 'restart') await server.stop();
      if (what === 'restart' || what === 'down') await server.start();
      if (what === 'renumber') await server.renumber();
      if (what === 'kill') await home.kill().then(() => home.open());
    }
    const expected = Array.from({ length: mails }, (_, number) => marker(number));
    const all = async (): Promise<boolean> =>
      (await lettersOf(home.office as OfficeProcess)).length >= expected.length;
    await settled('every mail is a case', all);
    // Once more all of it, from the beginning.
    await home.kill();
    await server.renumber();
    const last = await home.open();
    await settled('every mail bears its mark', async () => {
      const keywords = server.mails().filter((path) => /:2,[A-Z]*[a-z]/.test(path));
      return keywords.length === mails;
    });
    expect(await lettersOf(last)).toEqual(expected);
    const kept = server.mails().map((path) => readFileSync(path, 'latin1'));
    expect(kept).toHaveLength(mails + 1);
    for (let number = 0; number < mails; number += 1) expect(kept).toContain(letter(number));
    process.stderr.write(`${mails} mails, ${JSON.stringify(mishaps)}, ${wire.connections} connections\n`);
  },
  1_200_000,
);

function cursorIn(directory: string): string {
  const name = readdirSync(directory).find((each) => /^[0-9a-f]+\.json$/.test(each));
  return join(directory, name ?? 'none');
}
