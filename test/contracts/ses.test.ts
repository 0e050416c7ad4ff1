import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GetSendQuotaCommand,
  SESClient,
  SendEmailCommand,
  SendRawEmailCommand,
  type SendRawEmailCommandInput,
} from '@aws-sdk/client-ses';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type KeptMail, listOutbox, readKept } from '../../lib/local/endpoints/outbox.ts';
import { type SesOptions, sesService } from '../../lib/local/endpoints/ses.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { clientConfig, serve, temporaryDirectory } from '../support/endpoints.ts';
import { readOutbox } from '../support/outbox.ts';
import { ManualClock } from '../support/time.ts';

const from = 'caregate@inbox.example';
const to = 'records@clinic.example';

async function start(options: Partial<SesOptions> = {}) {
  const outbox = options.outbox ?? join(await temporaryDirectory(), 'outbox');
  const clock = new ManualClock('2027-02-03T04:05:06.789Z');
  const { url } = await serve(
    await sesService({ clock, randomness: systemRandomness, identities: [from], ...options, outbox }),
  );
  const client = new SESClient(clientConfig(url));
  onTestFinished(() => client.destroy());
  return { client, outbox };
}

const mail = (headers: Record<string, string>, body = 'Hello.') =>
  Buffer.from(
    `${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}\r\n`,
  );

function send(client: SESClient, raw: Uint8Array, more: Partial<SendRawEmailCommandInput> = {}) {
  return client.send(new SendRawEmailCommand({ RawMessage: { Data: raw }, ...more }));
}

describe('SendRawEmail', () => {
  it('keeps the exact bytes, whatever they are', async () => {
    const { client, outbox } = await start();
    const sent: Uint8Array[] = [];
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (body) => {
        const raw = Buffer.concat([mail({ From: from, To: to, Date: 'x', 'Message-ID': '<ours>' }), body]);
        await send(client, raw);
        sent.push(new Uint8Array(raw));
      }),
      { numRuns: 20 },
    );
    expect((await readOutbox(outbox)).map(({ raw }) => raw)).toEqual(sent);
  });

  it('records the envelope beside them', async () => {
    const { client, outbox } = await start();
    const { MessageId } = await send(client, mail({ From: from, To: to }), {
      Source: `Caregate <${from}>`,
      Destinations: [to],
      Tags: [{ Name: 'attempt', Value: 'a-1' }],
      ConfigurationSetName: 'letters',
    });
    expect(MessageId).toMatch(/^[0-9a-f]{16}(-[0-9a-f]+){5}-000000$/);
    expect(await readOutbox(outbox)).toMatchObject([
      {
        id: MessageId,
        at: '2027-02-03T04:05:06.789Z',
        source: from,
        destinations: [to],
        tags: { attempt: 'a-1' },
        configurationSet: 'letters',
      },
    ]);
    expect(await readdir(outbox)).toEqual([`000001-${MessageId}.eml`, `000001-${MessageId}.json`]);
  });

  it('takes sender and destinations from the headers where none are given', async () => {
    const { client, outbox } = await start();
    const headers = {
      From: `"A, B" <${from}>`,
      To: `One <one@x.example>,\r\n two@x.example`,
      Cc: 'three@x.example',
      Bcc: 'four@x.example',
    };
    await send(client, mail(headers, 'To: not@a.header.example'));
    expect(await readOutbox(outbox)).toMatchObject([
      {
        source: from,
        destinations: ['one@x.example', 'two@x.example', 'three@x.example', 'four@x.example'],
      },
    ]);
  });

  it('rejects a mail that speaks for an address that is not verified, in the envelope or in a header', async () => {
    const { client, outbox } = await start();
    const refused = await Promise.allSettled([
      send(client, mail({ From: 'other@inbox.example', To: to })),
      send(client, mail({ From: from, To: to }), { Source: 'other@inbox.example' }),
      send(client, mail({ From: 'other@inbox.example', To: to }), { Source: from }),
      send(client, mail({ From: `${from}, other@inbox.example`, To: to })),
      send(client, mail({ From: from, Sender: 'other@inbox.example', To: to })),
      send(client, mail({ From: from, 'Return-Path': '<other@inbox.example>', To: to })),
    ]);
    for (const each of refused) {
      expect(each).toMatchObject({ status: 'rejected', reason: { name: 'MessageRejected' } });
    }
    expect(await readOutbox(outbox)).toEqual([]);
  });

  it('takes a verified domain for all its addresses, and for none of another', async () => {
    const { client } = await start({ identities: ['inbox.example'] });
    await send(client, mail({ From: 'Anyone@Inbox.example', To: to }));
    await expect(send(client, mail({ From: 'x@sub.inbox.example', To: to }))).rejects.toMatchObject({
      name: 'MessageRejected',
    });
  });

  it('refuses more than 10 MB of base64, and takes what is just below', async () => {
    const { client, outbox } = await start();
    const head = mail({ From: from, To: to });
    const ofEncodedSize = (size: number) =>
      Buffer.concat([head, Buffer.alloc((size / 4) * 3 - head.length, 'x')]);
    await send(client, ofEncodedSize(10 * 1024 * 1024));
    await expect(send(client, ofEncodedSize(10 * 1024 * 1024 + 4))).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: expect.stringContaining('10485760'),
    });
    expect(await readOutbox(outbox)).toHaveLength(1);
  });

  it('refuses what has no sender, no destination, too many of them, or a malformed tag', async () => {
    const { client } = await start();
    const many = Array.from({ length: 51 }, (_, index) => `p${index}@x.example`);
    const refused = await Promise.allSettled([
      send(client, Buffer.from('not a mail'), { Destinations: [to] }),
      send(client, Buffer.from('')),
      send(client, mail({ From: from })),
      send(client, mail({ From: from }), { Destinations: many }),
      send(client, mail({ From: from, To: to }), { Tags: [{ Name: 'a b', Value: 'c' }] }),
    ]);
    for (const each of refused) {
      expect(each).toMatchObject({ status: 'rejected', reason: { name: 'InvalidParameterValue' } });
    }
  });

  it('tells its listener of each mail that is kept', async () => {
    const ids: string[] = [];
    const { client } = await start({ onSent: ({ id }) => ids.push(id) });
    const { MessageId } = await send(client, mail({ From: from, To: to }));
    expect(ids).toEqual([MessageId]);
  });

  it('numbers on where an earlier office stopped, and lists in the order of sending', async () => {
    const first = await start();
    await send(first.client, mail({ From: from, To: to }, 'first'));
    const second = await start({ outbox: first.outbox });
    for (let index = 2; index <= 12; index += 1) {
      await send(second.client, mail({ From: from, To: to }, `number ${index}`));
    }
    const texts = (await readOutbox(first.outbox)).map(({ raw }) => Buffer.from(raw).toString().trim());
    expect(texts).toHaveLength(12);
    expect(texts.at(1)).toMatch(/number 2$/);
    expect(texts.at(-1)).toMatch(/number 12$/);
  });
});

describe('faults', () => {
  it('can throttle: nothing is sent', async () => {
    const { client, outbox } = await start({ faults: () => 'Throttling' });
    await expect(send(client, mail({ From: from, To: to }))).rejects.toMatchObject({ name: 'Throttling' });
    expect(await readOutbox(outbox)).toEqual([]);
  });

  it('can lose the reply: the mail is out, and the caller does not know', async () => {
    const tags: Record<string, string>[] = [];
    const { client, outbox } = await start({
      faults: (envelope) => {
        tags.push(envelope.tags);
        return 'ReplyLost';
      },
    });
    const Tags = [{ Name: 'attempt', Value: 'a-1' }];
    await expect(send(client, mail({ From: from, To: to }), { Tags })).rejects.toThrow();
    expect(await readOutbox(outbox)).toHaveLength(1);
    expect(tags).toEqual([{ attempt: 'a-1' }]);
  });
});

describe('everything else of SES', () => {
  it('is denied where it sends, and refused by name where it does not', async () => {
    const { client, outbox } = await start();
    const letter = { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } };
    await expect(
      client.send(
        new SendEmailCommand({ Source: from, Destination: { ToAddresses: [to] }, Message: letter }),
      ),
    ).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    await expect(client.send(new GetSendQuotaCommand({}))).rejects.toMatchObject({ name: 'InvalidAction' });
    expect(await readOutbox(outbox)).toEqual([]);
  });
});

describe('the outbox', () => {
  it('is empty where there is no folder, and overlooks a mail that was never accepted', async () => {
    const directory = await temporaryDirectory();
    expect(await readOutbox(join(directory, 'absent'))).toEqual([]);
    await writeFile(join(directory, '000001-half.eml'), 'written, but the envelope is not');
    await writeFile(join(directory, 'notes.txt'), 'not ours');
    expect(await readOutbox(directory)).toEqual([]);
    const { client } = await start({ outbox: directory });
    await send(client, mail({ From: from, To: to }));
    expect(await readOutbox(directory)).toHaveLength(1);
  });

  it('names an envelope that is damaged, and a mail that is lost, beside those that are whole', async () => {
    const { client, outbox } = await start();
    await send(client, mail({ From: from, To: to }));
    await send(client, mail({ From: from, To: to }));
    const envelopes = (await readdir(outbox)).filter((name) => name.endsWith('.json'));
    await writeFile(join(outbox, envelopes[0] ?? ''), '{');
    const { mails, damaged } = await listOutbox(outbox);
    expect([mails.length, damaged]).toEqual([1, [envelopes[0]?.slice('000001-'.length, -'.json'.length)]]);
    const [kept] = mails as [KeptMail];
    await rm(join(outbox, kept.file));
    await expect(readKept(outbox, kept)).toFailWithCode('DATA_DIRECTORY_INVALID');
  });

  it('must be a folder', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    await expect(start({ outbox: file })).toFailWithCode('DATA_DIRECTORY_INVALID');
    await expect(listOutbox(file)).toFailWithCode('DATA_DIRECTORY_INVALID');
  });
});
