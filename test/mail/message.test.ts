import { describe, expect, it } from 'vitest';
import { largestMail, parseMessage } from '../../lib/mail/message.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { mailOf } from '../support/letters.ts';
import { rawMail } from '../support/maildelivery.ts';

const head = ['From: Maya <maya@family.example>', 'To: care@inbox.example', 'Subject: Letter'];
const plain = (...extra: string[]) => parseMessage(rawMail(...head, ...extra, '', 'Hello'));

describe('parseMessage', () => {
  it('keeps every part with its very bytes', async () => {
    const content = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const raw = await mailOf({
      from: 'maya@family.example',
      to: 'care@inbox.example',
      subject: 'Fwd: Röntgen',
      text: 'Grüße',
      html: '<p>Grüße</p>',
      attachments: [{ filename: 'scan.bin', contentType: 'application/octet-stream', content, inline: true }],
    });
    const message = await parseMessage(raw);
    expect(message.subject).toBe('Fwd: Röntgen');
    expect(message.parts.map(({ role, path, contentType }) => [role, path, contentType])).toEqual([
      ['text', '1.1', 'text/plain'],
      ['html', '1.2', 'text/html'],
      ['attachment', '2', 'application/octet-stream'],
    ]);
    const [text, html, file] = message.parts;
    expect(text?.digest).toBe(sha256('Grüße'));
    expect(html?.digest).toBe(sha256('<p>Grüße</p>'));
    expect(file?.digest).toBe(sha256(content));
    expect(text?.alternative).toBe(html?.alternative);
    expect(text?.alternative).toBeDefined();
    expect(file?.alternative).toBeUndefined();
  });

  it('hashes text in another charset over its bytes, and reads it by that charset', async () => {
    const raw = Buffer.concat([
      rawMail(
        ...head,
        'Content-Type: text/plain; charset=windows-1252',
        'Content-Transfer-Encoding: 8bit',
        '',
        '',
      ),
      Buffer.from([0x80, 0x31, 0x32, 0x96, 0x92]),
    ]);
    const [part] = (await parseMessage(raw)).parts;
    expect(part?.text).toBe('€12–’');
    expect(part?.digest).toBe(sha256(Uint8Array.from([0x80, 0x31, 0x32, 0x96, 0x92])));
  });

  it.each([
    ['an unknown charset that is UTF-8', 'x-unknown', Buffer.from('Gruß'), 'Gruß'],
    ['an unknown charset that is not', 'x-unknown', Buffer.from([0x47, 0xdf]), 'Gß'],
    ['UTF-7, which hides markup', 'utf-7', Buffer.from('+ADw-b+AD4-'), '+ADw-b+AD4-'],
    ['US-ASCII that is UTF-8', 'us-ascii', Buffer.from('Gruß'), 'Gruß'],
    ['ISO-8859-15', 'iso-8859-15', Buffer.from([0xa4]), '€'],
  ])('reads %s', async (_, charset, bytes, text) => {
    const header = rawMail(
      ...head,
      `Content-Type: text/plain; charset=${charset}`,
      'Content-Transfer-Encoding: 8bit',
      '',
      '',
    );
    expect((await parseMessage(Buffer.concat([header, bytes]))).parts[0]?.text).toBe(text);
  });

  it('joins the soft line breaks of flowed text', async () => {
    const raw = rawMail(
      ...head,
      'Content-Type: text/plain; format=flowed',
      '',
      'Thursday 4 ',
      'March 2027',
      'Room 3',
      '',
    );
    expect((await parseMessage(raw)).parts[0]?.text?.replaceAll('\r', '')).toBe(
      'Thursday 4 March 2027\nRoom 3',
    );
  });

  it('decodes a uuencoded attachment', async () => {
    const boundary = ['Content-Type: multipart/mixed; boundary=b', '', '--b'];
    const part = (body: string[]) =>
      parseMessage(
        rawMail(
          ...head,
          ...boundary,
          'Content-Type: image/png; name=a.png',
          'Content-Transfer-Encoding: x-uuencode',
          '',
          ...body,
          '--b--',
          '',
        ),
      );
    const whole = await part(['begin 644 a.png', '#0V%T', '`', 'end']);
    expect(Buffer.from(whole.parts[0]?.bytes ?? []).toString()).toBe('Cat');
    const broken = await part(['begin 644 a.png', '#0V%T']);
    expect(Buffer.from(broken.parts[0]?.bytes ?? []).toString()).toContain('begin 644');
  });

  it('recurses into embedded mails, down to a depth', async () => {
    let raw: Uint8Array = rawMail(...head, '', 'innermost');
    for (let depth = 0; depth < 9; depth += 1) {
      raw = Buffer.concat([rawMail('From: a@b.example', 'Content-Type: message/rfc822', '', ''), raw]);
    }
    const { parts } = await parseMessage(raw);
    expect(parts.map(({ path }) => path)).toEqual([
      '1',
      '1.1',
      '1.1.1',
      '1.1.1.1',
      '1.1.1.1.1',
      '1.1.1.1.1.1',
      '1.1.1.1.1.1.1',
    ]);
    expect(parts.every(({ role }) => role === 'embedded')).toBe(true);
    expect(parts[0]?.text).toContain('From: a@b.example');
    expect(parts.at(-1)?.text).toBeUndefined();
  });

  it('leaves an embedded part that is no mail closed', async () => {
    const raw = rawMail(...head, 'Content-Type: message/rfc822', '', 'just words');
    const { parts } = await parseMessage(raw);
    expect(parts.map(({ role, text }) => [role, text])).toEqual([['embedded', undefined]]);
  });

  it('takes the parts of a digest for mails', async () => {
    const raw = rawMail(
      ...head, 'Content-Type: multipart/digest; boundary=b', '', '--b', '', 'From: a@b.example', 'Subject: One', '', 'first', '--b--', '',
    ); // biome-ignore format: a mail
    expect((await parseMessage(raw)).parts.map(({ role, path }) => [role, path])).toEqual([
      ['embedded', '1'],
      ['text', '1.1'],
    ]);
  });

  it('treats a text with a file name as an attached file', async () => {
    const raw = rawMail(...head, 'Content-Type: text/plain; name="../notes.txt"', '', 'x');
    expect((await parseMessage(raw)).parts).toMatchObject([{ role: 'attachment', fileName: 'notes.txt' }]);
  });

  it.each([
    ['empty bytes', new Uint8Array()],
    ['blanks', rawMail('', '', '')],
    ['a text without a header', rawMail('Dear Rosa,', '', 'hello: world')],
    ['fields that mails do not have', rawMail('name: value', '', 'x')],
    ['binary bytes', Uint8Array.from({ length: 500 }, (_, index) => (index * 37) % 256)],
    ['a header with NUL in it', rawMail('From: a@b.example\0', '', 'x')],
  ])('refuses %s', async (_, bytes) => {
    await expect(parseMessage(bytes)).toFailWithCode('MAIL_UNREADABLE');
  });

  it('refuses a mail over 40 MB, and one of a thousand parts, by name', async () => {
    await expect(parseMessage(new Uint8Array(largestMail + 1))).toFailWithCode('MAIL_TOO_LARGE');
    const parts = Array.from({ length: 1100 }, () => ['--b', 'Content-Type: text/plain', '', 'x']).flat();
    const many = rawMail(...head, 'Content-Type: multipart/mixed; boundary=b', '', ...parts, '--b--');
    await expect(parseMessage(many)).toFailWithCode('MAIL_TOO_LARGE');
  });

  it('counts the parts of embedded mails together', async () => {
    const inner = Array.from({ length: 300 }, () => ['--i', 'Content-Type: text/plain', '', 'x']).flat();
    const embedded = [
      '--o',
      'Content-Type: message/rfc822',
      '',
      'From: a@b.example',
      'Content-Type: multipart/mixed; boundary=i',
      '',
      ...inner,
      '--i--',
    ];
    const raw = rawMail(
      ...head,
      'Content-Type: multipart/mixed; boundary=o',
      '',
      ...embedded,
      ...embedded,
      ...embedded,
      ...embedded,
      '--o--',
    );
    await expect(parseMessage(raw)).toFailWithCode('MAIL_TOO_LARGE');
  });
});

describe('the Date header', () => {
  it.each([
    ['Mon, 01 Feb 2027 09:00:00 +0000', '2027-02-01T09:00:00.000Z'],
    ['1 Feb 2027 09:00 -0530 (somewhere)', '2027-02-01T14:30:00.000Z'],
    ['Mon, 1 Feb 2027 09:00:60 EST', '2027-02-01T14:00:59.000Z'],
  ])('%s is read', async (value, instant) => {
    expect((await plain(`Date: ${value}`)).date).toBe(instant);
  });

  it.each([
    'yesterday',
    '31 Feb 2027 09:00:00 +0000',
    '1 Feb 2027 25:00:00 +0000',
    '1 Feb 2027 09:00:00 +9900',
    '1 Foo 2027 09:00 +0000',
    '1 Feb 2027 09:00 XYZ',
    '',
  ])('%j is not guessed', async (value) => {
    expect((await plain(`Date: ${value}`)).date).toBeUndefined();
  });
});

describe('From', () => {
  const from = async (...lines: string[]) =>
    (await parseMessage(rawMail(...lines, 'Subject: x', '', 'x'))).from.map(({ address }) => address);

  it('has the one address of a plain field', async () => {
    expect(await from('From: "Winterbourne, Maya" <maya@family.example>')).toEqual(['maya@family.example']);
    expect(await from('From: maya@family.example')).toEqual(['maya@family.example']);
    expect(await from('From: "tom@family.example" <maya@family.example>')).toEqual(['maya@family.example']);
  });

  it.each([
    ['From: <maya@family.example> <evil@evil.example>'],
    ['From: maya@family.example (c) evil@evil.example'],
    ['From: <@evil.example:maya@family.example>'],
    ['From: maya@family.example, evil@evil.example'],
    ['From: maya@family.example;evil@evil.example'],
  ])('%s has every address that a program may read in it', async (line) => {
    expect((await from(line)).length).toBeGreaterThan(1);
  });

  it('counts every From field', async () => {
    expect(await from('From: maya@family.example', 'From: evil@evil.example')).toEqual([
      'maya@family.example',
      'evil@evil.example',
    ]);
  });

  it('opens groups', async () => {
    expect(await from('From: Family: maya@family.example, tom@family.example;')).toEqual([
      'maya@family.example',
      'tom@family.example',
    ]);
  });
});

describe('automatic mail', () => {
  it.each([
    ['bounce', 'Content-Type: multipart/report; report-type=delivery-status; boundary=b'],
    ['bounce', 'Content-Type: multipart/report; report-type="disposition-notification"; boundary=b'],
    ['bounce', 'X-Failed-Recipients: a@b.example'],
    ['reply', 'Auto-Submitted: auto-replied (vacation)'],
    ['reply', 'X-Autoreply: yes'],
    ['reply', 'X-Autorespond: out of office'],
    ['reply', 'Precedence: auto_reply'],
    ['list', 'List-Post: <mailto:list@b.example>'],
  ] as const)('is a %s by %s', async (kind, line) => {
    expect((await plain(line)).automatic).toBe(kind);
  });

  it.each([
    ['a reminder that a machine wrote', 'Auto-Submitted: auto-generated'],
    ['a mail with a way to unsubscribe', 'List-Unsubscribe: <mailto:leave@b.example>'],
    ['an announcement that nobody can answer', 'List-Post: NO'],
    ['bulk mail', 'Precedence: bulk'],
  ])('is not %s', async (_, line) => {
    expect((await plain(line)).automatic).toBeUndefined();
  });
});
