import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import nodemailer from 'nodemailer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CaregateError } from '../../../lib/errors.ts';
import type { SesEvent } from '../../../lib/local/mailbox/event.ts';
import { type InboxOptions, mailLimit, startInbox } from '../../../lib/local/mailbox/inbox.ts';
import { inboxKey, traceHeaders } from '../../../lib/local/mailbox/reception.ts';
import { householdVerdicts, isLoopbackAddress } from '../../../lib/local/mailbox/verdicts.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { systemRandomness } from '../../../lib/provenance/randomness.ts';
import { hasOpenssl, selfSigned } from '../../support/certificate.ts';
import { startS3, temporaryDirectory } from '../../support/endpoints.ts';
import { ManualClock } from '../../support/time.ts';

const bucket = 'inbox';
const person = 'maya@family.example';
const address = 'care@inbox.example';

async function start(options: Partial<InboxOptions> = {}, s3Options: Parameters<typeof startS3>[0] = {}) {
  const { client } = await startS3(s3Options);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const events: SesEvent[] = [];
  const lines: string[] = [];
  const inbox = await startInbox({
    s3: client,
    bucket,
    recipients: () => [address],
    port: 0,
    clock: systemClock,
    randomness: systemRandomness,
    verdicts: householdVerdicts(() => [person]),
    deliver: async (event) => {
      events.push(event);
    },
    log: (line) => lines.push(line),
    ...options,
  });
  onTestFinished(() => inbox.close());
  const mailer = nodemailer.createTransport({ host: '127.0.0.1', port: inbox.port, secure: false });
  const send = (raw: string | Buffer, envelope = { from: person, to: [address] }) =>
    mailer.sendMail({ envelope, raw });
  return { ...inbox, s3: client, events, lines, mailer, send };
}

async function stored(s3: S3Client): Promise<string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.map(({ Key = '' }) => Key);
}

async function bytes(s3: S3Client, key: string): Promise<string> {
  const found = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return (await found.Body?.transformToString('latin1')) ?? '';
}

/** Speaks SMTP by hand: a program that does not keep to what a mail library would do. */
function speak(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    let said = 0;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.on('data', (data) => {
      heard += data.toString();
      if (!/^\d{3} .*\r\n$/m.test(heard.slice(heard.lastIndexOf('\n', heard.length - 2) + 1))) return;
      const line = lines[said];
      said += 1;
      if (line === undefined) socket.end();
      else socket.write(`${line}\r\n`);
    });
    socket.on('close', () => resolve(heard));
  });
}

describe('a mail that is handed in', () => {
  it('is stored with the trace headers in front of its very bytes, and told as SES tells it', async () => {
    const clock = new ManualClock('2027-02-03T04:05:06.789Z');
    const { s3, events, send } = await start({ clock });
    const raw =
      'From: maya@family.example\r\nSubject: =?utf-8?q?x?=\r\n\r\n8bit: \u00e9\u00ff\r\n.\r\n..dots\r\n';
    await send(Buffer.from(raw, 'latin1'));
    await expect.poll(() => events).toHaveLength(1);
    const [key = ''] = await stored(s3);
    const id = key.slice('mail/'.length);
    expect(id).toMatch(/^[0-9a-f]{40}$/);
    const text = await bytes(s3, key);
    expect(text.endsWith(raw)).toBe(true);
    expect(text.slice(0, -raw.length)).toMatch(
      /^Return-Path: <maya@family\.example>\r\nReceived: from \S+ \(\[127\.0\.0\.1\]\)\r\n by inbox\.caregate\.invalid with SMTP id [0-9a-f]{40}\r\n for <care@inbox\.example>;\r\n Wed, 03 Feb 2027 04:05:06 \+0000\r\n$/,
    );
    expect(events).toMatchObject([
      {
        Records: [
          {
            eventSource: 'aws:ses',
            ses: {
              mail: {
                messageId: id,
                source: person,
                destination: [address],
                timestamp: '2027-02-03T04:05:06.789Z',
              },
              receipt: {
                recipients: [address],
                spamVerdict: { status: 'PASS' },
                virusVerdict: { status: 'PASS' },
                spfVerdict: { status: 'PASS' },
                dkimVerdict: { status: 'PASS' },
                dmarcVerdict: { status: 'PASS' },
                action: { type: 'Lambda', invocationType: 'Event' },
              },
            },
          },
        ],
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('8bit');
  });

  it('five times at once is five deliveries of the same bytes', async () => {
    const { s3, events, send } = await start();
    const raw = 'From: maya@family.example\r\n\r\nFive times.\r\n';
    await Promise.all(Array.from({ length: 5 }, () => send(raw)));
    await expect.poll(() => events).toHaveLength(5);
    const keys = await stored(s3);
    expect(keys).toHaveLength(5);
    expect(new Set(events.map(({ Records: [{ ses }] }) => inboxKey(ses.mail.messageId)))).toEqual(
      new Set(keys),
    );
    for (const key of keys) expect((await bytes(s3, key)).endsWith(raw)).toBe(true);
  });

  it('is stored before it is accepted, and accepted before it is worked on', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { s3, send } = await start({ deliver: () => gate });
    const { response } = await send('Subject: x\r\n\r\nx\r\n');
    expect(response).toMatch(/^250 /);
    expect(await stored(s3)).toHaveLength(1);
    release();
  });

  it('is there all the same if nobody takes it up', async () => {
    const { s3, send, lines } = await start({
      deliver: () => Promise.reject(new CaregateError('OFFICE_UNREACHABLE', 'no office at `x`')),
    });
    await send('Subject: x\r\n\r\nsecret\r\n');
    await expect.poll(() => lines).toEqual(['inbox: a stored mail was not taken up: OFFICE_UNREACHABLE']);
    expect(await stored(s3)).toHaveLength(1);
  });

  it('is refused for now if it cannot be stored', async () => {
    const { s3, send, lines, events } = await start({}, { faults: () => 'SlowDown' });
    await expect(send('Subject: x\r\n\r\nx\r\n')).rejects.toMatchObject({ responseCode: 451 });
    expect(await stored(s3)).toEqual([]);
    expect(events).toEqual([]);
    expect(lines).toEqual(['inbox: a mail could not be stored: SlowDown']);
  });

  it.each([
    ['nothing at all', ''],
    ['no mail', '\u0000\u0001 not a mail'],
    ['only a header', 'Subject: x'],
  ])('is stored even if it is %s', async (_name, raw) => {
    const { s3, events, send } = await start();
    await send(raw);
    await expect.poll(() => events).toHaveLength(1);
    const [key = ''] = await stored(s3);
    expect((await bytes(s3, key)).trimEnd().endsWith(raw.trimEnd())).toBe(true);
  });

  it('has an empty source if it is a bounce', async () => {
    const { s3, events, port } = await start();
    await speak(port, [
      'EHLO x',
      'MAIL FROM:<>',
      `RCPT TO:<${address}>`,
      'DATA',
      'Subject: bounce\r\n\r\nx\r\n.',
      'QUIT',
    ]);
    await expect.poll(() => events).toHaveLength(1);
    expect(events[0]?.Records[0].ses.mail.source).toBe('');
    const [key = ''] = await stored(s3);
    expect(await bytes(s3, key)).toMatch(/^Return-Path: <>\r\n/);
  });
});

describe('the size of a mail', () => {
  it('is advertised, and refused by it before the mail is sent', async () => {
    const { port, s3 } = await start();
    const heard = await speak(port, ['EHLO x', `MAIL FROM:<${person}> SIZE=${mailLimit + 1}`, 'QUIT']);
    expect(heard).toMatch(new RegExp(`^250[- ]SIZE ${mailLimit}\r$`, 'm'));
    expect(heard).toMatch(/^552 /m);
    expect(await stored(s3)).toEqual([]);
  });

  it('is refused over 40 MB, and the next mail is taken', async () => {
    const { send, s3, events } = await start();
    const large = Buffer.alloc(mailLimit + 1024, `${'x'.repeat(70)}\r\n`);
    await expect(send(large)).rejects.toMatchObject({ responseCode: 552 });
    expect(await stored(s3)).toEqual([]);
    await send('Subject: small\r\n\r\nx\r\n');
    await expect.poll(() => events).toHaveLength(1);
  });
});

describe('recipients', () => {
  it('are those that were named, in any case, and no other', async () => {
    const { send, events, s3 } = await start();
    await send('Subject: x\r\n\r\nx\r\n', { from: person, to: ['Care@Inbox.example', 'care@inbox.example'] });
    await expect.poll(() => events).toHaveLength(1);
    await expect(
      send('Subject: x\r\n\r\nx\r\n', { from: person, to: ['other@inbox.example'] }),
    ).rejects.toMatchObject({ responseCode: 550 });
    expect(await stored(s3)).toHaveLength(1);
  });

  it('that are not ours take nothing from those that are', async () => {
    const { send, events } = await start();
    const { rejected } = await send('Subject: x\r\n\r\nx\r\n', {
      from: person,
      to: [address, 'other@inbox.example'],
    });
    expect(rejected).toEqual(['other@inbox.example']);
    await expect.poll(() => events).toHaveLength(1);
    expect(events[0]?.Records[0].ses.receipt.recipients).toEqual([address]);
  });
});

describe('who may hand in', () => {
  it('is anyone on this machine, without a password, where none is set', async () => {
    const { port } = await start();
    const heard = await speak(port, ['EHLO x', 'QUIT']);
    expect(heard).not.toContain('AUTH');
    expect(heard).not.toContain('STARTTLS');
  });

  it('is only who knows the password, where one is set', async () => {
    const auth = { user: 'forwarder', password: 'a long password' };
    const { port, s3, events } = await start({ auth });
    const mail = { envelope: { from: person, to: [address] }, raw: 'Subject: x\r\n\r\nx\r\n' };
    const as = (pass?: string) =>
      nodemailer.createTransport({
        host: '127.0.0.1',
        port,
        secure: false,
        ...(pass === undefined ? {} : { auth: { user: 'forwarder', pass } }),
      });
    await expect(as().sendMail(mail)).rejects.toMatchObject({ responseCode: 530 });
    await expect(as('wrong').sendMail(mail)).rejects.toMatchObject({ responseCode: 535 });
    expect(await stored(s3)).toEqual([]);
    await as('a long password').sendMail(mail);
    await expect.poll(() => events).toHaveLength(1);
  });

  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    'beyond this machine needs password and certificate: %s',
    async (host) => {
      const auth = { user: 'u', password: 'p' };
      const key = generateKeyPairSync('ed25519').privateKey.export({
        format: 'pem',
        type: 'pkcs8',
      }) as string;
      const tls = () => ({ key, cert: '' });
      for (const protection of [{}, { auth }, { tls }]) {
        await expect(start({ host, ...protection })).toFailWithCode('CONFIGURATION_INVALID');
      }
      await expect(start({ host })).rejects.toThrow(host);
    },
  );

  it.skipIf(!hasOpenssl)('says the password over TLS only, where there is a certificate', async () => {
    const auth = { user: 'forwarder', password: 'a long password' };
    const pair = selfSigned(await temporaryDirectory());
    const { port, events } = await start({ auth, tls: () => pair });
    const heard = await speak(port, ['EHLO x', 'AUTH PLAIN AGZvcndhcmRlcgBhIGxvbmcgcGFzc3dvcmQ=', 'QUIT']);
    expect(heard).toMatch(/^250[- ]STARTTLS\r$/m);
    expect(heard).toMatch(/^538 /m);
    const mailer = nodemailer.createTransport({
      host: '127.0.0.1',
      port,
      secure: false,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'forwarder', pass: 'a long password' },
    });
    await mailer.sendMail({ envelope: { from: person, to: [address] }, raw: 'Subject: x\r\n\r\nx\r\n' });
    await expect.poll(() => events).toHaveLength(1);
  });

  it('has tried too many wrong passwords after five, from one address and for a while', async () => {
    const auth = { user: 'forwarder', password: 'a long password' };
    const clock = new ManualClock('2027-01-01T00:00:00Z');
    const { port } = await start({ auth, clock });
    const as = (pass: string) =>
      nodemailer
        .createTransport({ host: '127.0.0.1', port, secure: false, auth: { user: 'forwarder', pass } })
        .verify();
    for (let tried = 0; tried < 5; tried += 1) {
      await expect(as('wrong')).rejects.toMatchObject({ responseCode: 535 });
    }
    await expect(as('a long password')).rejects.toMatchObject({ responseCode: 421 });
    clock.advance(16 * 60_000);
    expect(await as('a long password')).toBe(true);
  });

  it.skipIf(!hasOpenssl)(
    'sees a certificate that was renewed, and keeps the old one until then',
    async () => {
      const auth = { user: 'forwarder', password: 'a long password' };
      let pair = selfSigned(await temporaryDirectory());
      let isGone = false;
      const tls = () => {
        if (isGone) throw new TypeError('the file is gone');
        return pair;
      };
      const { port, renew } = await start({ auth, tls });
      const seen = async (): Promise<string> => {
        const mailer = nodemailer.createTransport({
          host: '127.0.0.1',
          port,
          secure: false,
          requireTLS: true,
          tls: { ca: [pair.cert], checkServerIdentity: () => undefined },
          auth: { user: 'forwarder', pass: 'a long password' },
        });
        return (await mailer.verify()) ? pair.cert : '';
      };
      isGone = true;
      expect(renew).toThrow(TypeError);
      expect(await seen()).toBe(pair.cert);
      isGone = false;
      pair = selfSigned(await temporaryDirectory());
      renew();
      expect(await seen()).toBe(pair.cert);
    },
  );

  it('may not find the port taken', async () => {
    const { port } = await start();
    await expect(start({ port })).toFailWithCode('PORT_IN_USE');
  });
});

describe('verdicts of the household', () => {
  const verdicts = householdVerdicts(() => ['Maya@Family.example']);
  const envelope = { source: person, recipients: [address] };

  it('pass a known sender on this machine, and nobody else', () => {
    const here = { remoteAddress: '127.0.0.1', authenticated: false };
    expect(Object.values(verdicts(here, envelope))).toEqual(['PASS', 'PASS', 'PASS', 'PASS', 'PASS']);
    for (const [session, mail] of [
      [here, { ...envelope, source: 'stranger@elsewhere.example' }],
      [here, { ...envelope, source: '' }],
      [{ remoteAddress: '192.0.2.7', authenticated: true }, envelope],
      [{ remoteAddress: '192.0.2.7', authenticated: false }, envelope],
    ] as const) {
      const { spf, dkim, dmarc, virus } = verdicts(session, mail);
      expect([spf, dkim, dmarc, virus]).toEqual(['GRAY', 'GRAY', 'GRAY', 'DISABLED']);
    }
  });

  it('know this machine by its addresses', () => {
    for (const own of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
      expect(isLoopbackAddress(own)).toBe(true);
    }
    for (const other of ['', '128.0.0.1', '0.0.0.0', '127.0.0.1.example', '::', '::ffff:10.0.0.1']) {
      expect(isLoopbackAddress(other)).toBe(false);
    }
  });
});

describe('trace headers', () => {
  it('take from the greeting only what a host name may hold', () => {
    const reception = { messageId: 'id', source: '', recipients: [address, 'b@inbox.example'] };
    const clock = new ManualClock('2027-01-01T00:00:00Z');
    const trace = traceHeaders(reception, 'evil (x)\r\nX-Injected: yes', '::1', clock);
    expect(trace.match(/^\S+:/gm)).toEqual(['Return-Path:', 'Received:']);
    expect(trace).not.toContain(' for ');
    expect(traceHeaders(reception, '', '::1', clock)).toContain('from unknown ([::1])');
  });
});

describe('closing', () => {
  it('waits for what is being delivered', async () => {
    let done = false;
    const { send, close } = await start({
      deliver: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done = true;
      },
    });
    await send('Subject: x\r\n\r\nx\r\n');
    await close();
    expect(done).toBe(true);
  });
});
