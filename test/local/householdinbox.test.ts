import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { FunctionRegistry } from '../../lib/local/endpoints/lambda.ts';
import { type HouseholdInboxOptions, openHouseholdInbox } from '../../lib/local/householdinbox.ts';
import type { SesEvent } from '../../lib/local/mailbox/event.ts';
import { EventQueue } from '../../lib/local/mailbox/eventqueue.ts';
import { names } from '../../lib/local/names.ts';
import type { PickedMail } from '../../lib/local/pickup/pickup.ts';
import { messageIdOf, receivedFor } from '../../lib/mail/trace.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { exampleCircle } from '../support/cases.ts';
import { credentials, startS3, temporaryDirectory } from '../support/endpoints.ts';
import { seededRandomness } from '../support/time.ts';

const picked: PickedMail = {
  id: 'a'.repeat(40),
  bytes: Buffer.from(
    'Return-Path: <a@b.example>\r\nReceived: from b.example by mx.home.example\r\nTo: <x@y.example>\r\n\r\nHi.\r\n',
  ),
  host: 'imap.home.example',
  source: 'a@b.example',
  verdicts: { spam: 'DISABLED', virus: 'DISABLED', spf: 'GRAY', dkim: 'GRAY', dmarc: 'PASS' },
};

async function open(ingest: (event: unknown) => Promise<unknown>, more: Partial<HouseholdInboxOptions> = {}) {
  const { client, url } = await startS3();
  await client.send(new CreateBucketCommand({ Bucket: names.inboxBucket }));
  const registry = new FunctionRegistry();
  registry.register('ingest', ingest);
  const events = join(await temporaryDirectory(), 'events');
  const inbox = await openHouseholdInbox({
    ...{ events, circles: [exampleCircle] as never, registry, credentials, port: 0 },
    ...{ endpoints: { S3: url }, clock: systemClock, randomness: seededRandomness(1) },
    ...more,
  });
  onTestFinished(() => inbox.close());
  const stored = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket: names.inboxBucket }))).Contents ?? [];
  const read = async (key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: names.inboxBucket, Key: key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };
  return { inbox, stored, read, events, url };
}

test('a mail that was picked up is stored once, and told of as one that came by SMTP, however often it is taken', async () => {
  const told: SesEvent[] = [];
  const seen: string[] = [];
  const { inbox, stored, read, events } = await open(
    async (event) => {
      told.push(event as SesEvent);
      return {};
    },
    { onMail: async (raw) => void seen.push(Buffer.from(raw).toString()) },
  );
  await inbox.take(picked, exampleCircle.inbox);
  await inbox.take(picked, exampleCircle.inbox);
  expect((await stored()).map(({ Key }) => Key)).toEqual([`mail/${picked.id}`]);
  const bytes = await read(`mail/${picked.id}`);
  expect(bytes.subarray(-picked.bytes.length)).toEqual(picked.bytes);
  expect(receivedFor(bytes)).toBe(exampleCircle.inbox); // what the sweep goes by, should the event be lost
  expect(told).toHaveLength(2);
  expect(told[0]?.Records[0].ses).toMatchObject({
    mail: { messageId: picked.id, source: 'a@b.example', destination: [exampleCircle.inbox] },
    receipt: { recipients: [exampleCircle.inbox], dmarcVerdict: { status: 'PASS' } },
  });
  expect(seen).toEqual([bytes.toString(), bytes.toString()]);
  expect(readdirSync(events)).toEqual([]);
});

test('a mail for none of the circles is told, and one that is for one is not', async () => {
  const told: string[] = [];
  const answers = [{ unassigned: 1 }, { unassigned: 0 }, null];
  const { inbox } = await open(async () => answers.shift(), { onUnassigned: () => told.push('told') });
  await inbox.take(picked, 'old@inbox.example');
  expect(told).toEqual(['told']);
  await inbox.take(picked, exampleCircle.inbox);
  await inbox.take(picked, exampleCircle.inbox);
  expect(told).toEqual(['told']);
});

test('the same bytes are the same message at any time', async () => {
  const ids = [];
  for (const now of [0, 1_800_000_000_000]) {
    const { inbox, read } = await open(async () => ({}), { clock: { now: () => now } });
    await inbox.take(picked, exampleCircle.inbox);
    ids.push(messageIdOf(await read(`mail/${picked.id}`)));
  }
  expect(ids[0]).toBe(ids[1]);
});

test('a mail that cannot be stored is not taken', async () => {
  const { inbox, events } = await open(async () => ({}), { endpoints: { S3: 'http://127.0.0.1:1' } });
  await expect(inbox.take(picked, exampleCircle.inbox)).rejects.toThrow();
  expect(readdirSync(events)).toEqual([]);
});

test('a case is started before the mail is looked at otherwise: the sweep takes up bytes without one', async () => {
  const order: string[] = [];
  const note = (what: string) => async () => void order.push(what);
  const { inbox } = await open(note('case'), { onMail: note('look') });
  await inbox.take(picked, exampleCircle.inbox);
  expect(order).toEqual(['case', 'look']);
});

test('a mail that comes by SMTP is looked at as one that was picked up, and waits where it could not be', async () => {
  const seen: string[] = [];
  const lines: string[] = [];
  let isBroken = true;
  const onMail = async (raw: Uint8Array): Promise<void> => {
    if (isBroken) throw new TypeError('the disk is full');
    seen.push(/^Subject: (.*)\r$/m.exec(Buffer.from(raw).toString())?.[1] ?? '');
  };
  const { inbox, events } = await open(async () => ({}), { onMail, log: (line) => lines.push(line) });
  const mailer = createTransport({ host: '127.0.0.1', port: inbox.port, ignoreTLS: true });
  const send = (subject: string) =>
    mailer.sendMail({ from: 'a@b.example', to: exampleCircle.inbox, subject, text: 'Hi.' });
  await send('one');
  await expect.poll(() => lines).toEqual(['inbox: a mail waits in the queue: TypeError']);
  expect(readdirSync(events)).toHaveLength(1);
  isBroken = false;
  await send('two');
  await expect.poll(() => seen).toEqual(['two']);
});

test('what an ended office left is taken up, and forgotten where the mail itself never came', async () => {
  const directory = join(await temporaryDirectory(), 'events');
  const queue = new EventQueue(directory);
  const first = await open(async () => Promise.reject(new Error('ended')), { events: directory });
  await first.inbox.take(picked, exampleCircle.inbox);
  await queue.keep('b'.repeat(40), { Records: [] });
  expect(readdirSync(directory)).toHaveLength(2);
  const told: SesEvent[] = [];
  const ingest = async (event: unknown) => void told.push(event as SesEvent);
  await open(ingest, { events: directory, endpoints: { S3: first.url } });
  expect(told.map(({ Records }) => Records[0].ses.mail.messageId)).toEqual([picked.id]);
  expect(readdirSync(directory)).toEqual([]);
});

test('a mail whose event cannot be kept is not stored either: what is known of its sender would be lost', async () => {
  const { inbox, stored, events } = await open(async () => ({}));
  writeFileSync(events, ''); // a file where its folder belongs
  await expect(inbox.take(picked, exampleCircle.inbox)).rejects.toThrow();
  const { accepted = [] } = await createTransport({ host: '127.0.0.1', port: inbox.port, ignoreTLS: true })
    .sendMail({
      envelope: { from: 'a@b.example', to: exampleCircle.inbox },
      raw: 'Subject: a\r\n\r\nHi.\r\n',
    })
    .catch(() => ({}) as { accepted?: string[] });
  expect([accepted, await stored()]).toEqual([[], []]);
});
