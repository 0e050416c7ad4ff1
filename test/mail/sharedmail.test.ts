import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../lib/mail/message.ts';
import type { Message, Part } from '../../lib/mail/types.ts';
import { hasSharedMail, sharedMail } from '../support/sharedmail.ts';

const sizes = ({ parts }: Message) => parts.map((part) => part.bytes.length);
const roles = ({ parts }: Message) => parts.map((part) => part.role);
const text = ({ parts }: Message) => parts.find((part: Part) => part.role === 'text')?.text;

/** What each of the mails must give, by the manifest of the collection. */
const expectations: readonly [file: string, says: string, check: (message: Message) => void][] = [
  ['pm__calendar-event.eml', 'the invitation twice, with one digest', ({ parts }) => {
    const digests = parts.filter((part) => /calendar|ics/.test(part.contentType)).map((part) => part.digest);
    expect(digests).toHaveLength(2);
    expect(new Set(digests).size).toBe(1);
    expect(parts.find((part) => part.contentType === 'application/ics')?.bytes).toHaveLength(2052);
  }],
  ['mp__decoderended.eml', 'an empty embedded mail', (message) => {
    expect(message.parts.filter((part) => part.role === 'embedded').map((part) => part.bytes.length)).toEqual([0]);
  }],
  ['mp__delivery-status.eml', 'a bounce', (message) => expect(message.automatic).toBe('bounce')],
  ['mikel__attachment_message_rfc822.eml', 'a PDF that belongs to the embedded mail', ({ parts }) => {
    expect(parts.find((part) => part.role === 'embedded')).toMatchObject({ fileName: 'ForwardedMessage.eml', path: '2' });
    expect(parts.find((part) => part.fileName === 'broken.pdf')?.path).toBe('2.2');
  }],
  ['mikel__attachment_with_encoded_name.eml', 'a name without control characters', ({ parts }) => {
    expect(parts[1]?.fileName).not.toMatch(/\p{Cc}/u);
    expect(parts[1]?.bytes).toHaveLength(399);
  }],
  ['mikel__japanese_iso_2022.eml', 'Japanese in subject and text', (message) => {
    expect(message.subject).toBe('まみむめも');
    expect(text(message)?.trim()).toBe('すみません。');
  }],
  ['mikel__raw_email10.eml', 'UTF-8 under an unknown charset', (message) => {
    expect(text(message)).toContain('Envoyé par le service');
  }],
  ['mikel__multiple_invalid_content_dispositions.eml', 'its text', ({ parts }) => {
    expect(parts[0]?.text).toContain('<p>foo</p>');
  }],
  ['mikel__raw_email_with_binary_encoded.eml', '24 bytes', (message) => expect(sizes(message)).toEqual([24])],
  ['stalwart__legacy_017.eml', 'two pictures, decoded', (message) => expect(sizes(message).slice(1)).toEqual([1298, 1325])],
  ['stalwart__malformed_008.eml', 'both bodies', ({ parts }) => {
    expect(parts.map((part) => part.text?.trim())).toEqual(['body', 'body2']);
  }],
  ['stalwart__malformed_019.eml', 'no date', (message) => expect(message.date).toBeUndefined()],
  ['stalwart__thirdparty_007.eml', 'three embedded mails', (message) => {
    expect(roles(message).filter((role) => role === 'embedded')).toHaveLength(3);
  }],
  ['mimekit__ukr.eml', 'Cyrillic, and the packed attachment', ({ parts }) => {
    expect(parts[0]?.text).toContain('шостий');
    expect(parts[1]).toMatchObject({ fileName: 'winmail.dat', contentType: 'application/ms-tnef' });
  }],
  ['spamscope__mail_test_14.eml', 'HTML and plain text both', (message) => {
    expect(roles(message)).toEqual(['html', 'attachment', 'text']);
  }],
  ['kde__flight-booking.eml', 'two renderings of one body', ({ parts }) => {
    expect(parts[0]?.alternative).toBe(parts[1]?.alternative);
  }],
  ['cpython__msg_05.eml', 'an embedded mail of 43 bytes, and no date', (message) => {
    expect(message.date).toBeUndefined();
    expect(message.parts.find((part) => part.role === 'embedded')?.bytes).toHaveLength(43);
  }],
  ['cpython__msg_46.eml', 'a mail that is nothing but another', (message) => {
    expect(message.subject).toBe('GroupwiseForwardingTest');
    expect(roles(message)).toEqual(['embedded', 'text']);
  }],
]; // biome-ignore format: a table

describe.skipIf(!hasSharedMail)(
  'the collected peculiar mails (skipped where the collection is absent)',
  () => {
    it.each(expectations)('%s gives %s', async (file, _, check) => {
      check(await parseMessage(sharedMail(file)));
    });
  },
);
