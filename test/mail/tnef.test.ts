import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../lib/mail/message.ts';
import { unpackRtf } from '../../lib/mail/rtfcompression.ts';
import { unpackTnef } from '../../lib/mail/tnef.ts';
import type { Part } from '../../lib/mail/types.ts';
import { mailOf } from '../support/letters.ts';
import { rawMail } from '../support/maildelivery.ts';
import { hasSharedMail, sharedMail } from '../support/sharedmail.ts';
import { attribute, packedFile, properties, winmail } from '../support/winmail.ts';

const message = 0x69003;
const wide = (text: string): Uint8Array => Buffer.from(`${text}\0`, 'utf16le');

async function partsIn(content: Uint8Array, contentType = 'application/ms-tnef'): Promise<readonly Part[]> {
  const attachments = [{ filename: 'winmail.dat', contentType, content }];
  const raw = await mailOf({
    from: 'a@b.example',
    to: 'c@d.example',
    subject: 'x',
    text: 'hello',
    attachments,
  });
  return (await parseMessage(raw)).parts.slice(1);
}
const outline = (parts: readonly Part[]) =>
  parts.map(({ path, role, contentType, fileName, text }) => [path, role, contentType, fileName, text]);

/** The letter of a packed mail in the three forms that Outlook knows. */
const letter = properties([
  { id: 0x0037, type: 0x1f, values: [wide('Your review')] },
  { id: 0x0c1a, type: 0x1e, values: ['Anna Weiss\0'] },
  { id: 0x0c1f, type: 0x1e, values: ['anna@praxis.example\0'] },
  { id: 0x0039, type: 0x40, values: [Buffer.from('008052f36b20d901', 'hex')] },
  { id: 0x8001, type: 0x03, values: [Buffer.alloc(4)], name: 'category' },
  { id: 0x8002, type: 0x0b, values: [Buffer.alloc(4)], name: 7 },
  { id: 0x1000, type: 0x1f, values: [wide('Grüße, Anna')] },
  { id: 0x3fde, type: 0x03, values: [Buffer.from([0xe4, 4, 0, 0])] },
  { id: 0x1013, type: 0x102, values: [Buffer.from('<p>Gr\xfc\xdfe, Anna</p>', 'latin1')] },
]);

describe('a winmail.dat', () => {
  it('is unpacked: the letter as two renderings of one body, and its files', async () => {
    const file = packedFile('Letter of the clinic.txt', 'Room 3', [
      { id: 0x370e, type: 0x1e, values: ['text/plain\0'] },
    ]);
    const parts = await partsIn(winmail(attribute(message, letter), file));
    const heads =
      'From: Anna Weiss <anna@praxis.example>\nDate: 2023-01-04T18:40:00.000Z\nSubject: Your review';
    expect(outline(parts)).toEqual([
      ['2', 'embedded', 'application/ms-tnef', 'winmail.dat', heads],
      ['2.1', 'text', 'text/plain', undefined, 'Grüße, Anna'],
      ['2.2', 'html', 'text/html', undefined, '<p>Grüße, Anna</p>'],
      ['2.3', 'attachment', 'text/plain', 'Letter of the clinic.txt', 'Room 3'],
    ]);
    expect(parts[1]?.alternative).toBe(parts[2]?.alternative);
  });

  it.each(['application/vnd.ms-tnef', 'application/octet-stream'])('is known under %s', async (type) => {
    const [packed, file] = await partsIn(winmail(packedFile('a.pdf', '%PDF-1.7')), type);
    expect(packed?.role).toBe('embedded');
    expect(file).toMatchObject({ fileName: 'a.pdf', contentType: 'application/octet-stream' });
  });

  it('may hold a mail that Outlook packed, and a mail that is one', async () => {
    const inner = winmail(attribute(0x18004, 'Inner\0'), attribute(0x2800c, 'the inner letter\0'));
    const object = [
      { id: 0x3705, type: 0x03, values: [Buffer.from([5, 0, 0, 0])] },
      { id: 0x3701, type: 0x0d, values: [Buffer.concat([Buffer.alloc(16), inner])] },
    ];
    const mail = [{ id: 0x370e, type: 0x1e, values: ['message/rfc822\0'] }];
    const raw = Buffer.from(rawMail('From: a@b.example', 'Subject: One', '', 'first'));
    const parts = await partsIn(winmail(packedFile('Inner', '', object), packedFile('one.eml', raw, mail)));
    expect(outline(parts).map(([path, role, type, , text]) => [path, role, type, text])).toEqual([
      ['2', 'embedded', 'application/ms-tnef', 'From: \nDate: \nSubject: '],
      ['2.1', 'embedded', 'application/ms-tnef', 'From: \nDate: \nSubject: Inner'],
      ['2.1.1', 'text', 'text/plain', 'the inner letter'],
      ['2.2', 'embedded', 'message/rfc822', 'From: a@b.example\nDate: \nSubject: One'],
      ['2.2.1', 'text', 'text/plain', 'first'],
    ]);
  });

  it('that packs itself is opened down to the depth of mails, and no further', async () => {
    let content = winmail(attribute(0x2800c, 'innermost\0'));
    for (let depth = 0; depth < 9; depth += 1) {
      content = winmail(
        packedFile('Inner', '', [
          { id: 0x3705, type: 0x03, values: [Buffer.from([5, 0, 0, 0])] },
          { id: 0x3701, type: 0x0d, values: [Buffer.concat([Buffer.alloc(16), content])] },
        ]),
      );
    }
    const parts = await partsIn(content);
    expect(parts).toHaveLength(7);
    expect([parts.at(-1)?.role, parts.at(-1)?.text]).toEqual(['embedded', undefined]);
  });

  it('has a letter in RTF where there is no other', async () => {
    const rtf = '{\\rtf1 Hello}';
    const header = Buffer.alloc(16);
    header.writeUInt32LE(rtf.length, 4);
    header.write('MELA', 8);
    const packed = [{ id: 0x1009, type: 0x102, values: [Buffer.concat([header, Buffer.from(rtf)])] }];
    const [, body] = await partsIn(winmail(attribute(message, properties(packed))));
    expect(body).toMatchObject({ contentType: 'application/rtf', fileName: 'message.rtf' });
    expect(new TextDecoder().decode(body?.bytes)).toBe(rtf);
  });

  it('that is cut is called unread, and what can be read of it is there', async () => {
    const whole = winmail(attribute(0x2800c, 'The letter\0'), packedFile('a.txt', 'x'.repeat(500)));
    const parts = await partsIn(whole.subarray(0, whole.length - 100));
    expect(parts.map(({ role, text }) => [role, text])).toContainEqual(['embedded', undefined]);
    expect(parts.map(({ text }) => text)).toContain('The letter');
  });

  it.each([
    ['is none', Buffer.from('no such file')],
    ['is empty', new Uint8Array()],
  ])('that %s stays one closed part', async (_, content) => {
    expect(outline(await partsIn(content))).toEqual([
      ['2', 'embedded', 'application/ms-tnef', 'winmail.dat', undefined],
    ]);
  });

  it('of more files than a mail has is opened as far as the limit, and not called whole', () => {
    const files = Array.from({ length: 210 }, (_, number) => packedFile(`${number}`, 'x'));
    const packed = unpackTnef(winmail(...files));
    expect(packed?.files).toHaveLength(200);
    expect(packed?.whole).toBe(false);
  });

  it('has a type only where that is one, and of several values the first', () => {
    const file = packedFile('a.bin', 'x', [{ id: 0x370e, type: 0x1e, values: ['x\r\nEvil: y\0'] }]);
    const many = properties([{ id: 0x0037, type: 0x101e, values: ['one\0', 'two\0'] }]);
    const packed = unpackTnef(winmail(attribute(message, many), file));
    expect(packed).toMatchObject({ subject: 'one', files: [{ contentType: 'application/octet-stream' }] });
  });

  it('of any bytes is unpacked or is none', () => {
    const whole = winmail(
      attribute(0x69007, Buffer.from([0xe4, 4, 0, 0])),
      attribute(message, letter),
      packedFile('a', 'x'),
    );
    const flips = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 12 });
    fc.assert(
      fc.property(flips, fc.nat(whole.length), (places, length) => {
        const damaged = Uint8Array.from(whole);
        for (const [at, byte] of places) damaged[at] = byte;
        const packed = unpackTnef(damaged.subarray(0, length));
        const size = [...(packed?.bodies ?? []), ...(packed?.files ?? [])].reduce(
          (sum, { bytes }) => sum + bytes.length,
          0,
        );
        expect(size).toBeLessThanOrEqual(2 * whole.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe('packed RTF', () => {
  /** The example of [MS-OXRTFCP] 3.1.1, in hexadecimal, and what it is. */
  const example =
    '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0';

  it('is unpacked', () => {
    const text = new TextDecoder().decode(unpackRtf(Buffer.from(example, 'hex')));
    expect(text).toBe('{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n');
  });

  it('that ends early gives what there is', () => {
    const text = new TextDecoder().decode(unpackRtf(Buffer.from(example, 'hex').subarray(0, 30)));
    expect('{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n'.startsWith(text)).toBe(true);
    expect(text).not.toBe('');
  });

  it.each([
    ['too short', Buffer.alloc(10)],
    ['of no known form', Buffer.alloc(40)],
    ['larger than any letter', Buffer.from(`00000000ffffff7f4c5a467500000000${'00'.repeat(10)}`, 'hex')],
  ])('%s is none', (_, bytes) => {
    expect(unpackRtf(bytes)).toBeUndefined();
  });
});

describe.skipIf(!hasSharedMail)(
  'the collected winmail.dat files (skipped where the collection is absent)',
  () => {
    it('mimekit__one-file.tnef has one file of 244 bytes', () => {
      expect(unpackTnef(sharedMail('mimekit__one-file.tnef'))).toMatchObject({
        whole: true,
        bodies: [],
        subject: 'one-file',
      });
      const [file] = unpackTnef(sharedMail('mimekit__one-file.tnef'))?.files ?? [];
      expect([file?.name, file?.bytes.length]).toEqual(['AUTHORS', 244]);
    });

    it('mimekit__body.tnef has a letter in HTML and no file', () => {
      const packed = unpackTnef(sharedMail('mimekit__body.tnef'));
      expect(packed).toMatchObject({ whole: true, subject: 'Bill of Rights', files: [] });
      expect(packed?.bodies.map(({ contentType, bytes }) => [contentType, bytes.length])).toEqual([
        ['text/html', 5358],
      ]);
    });
  },
);
