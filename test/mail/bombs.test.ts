import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { parseMessage } from '../../lib/mail/message.ts';
import { rawMail } from '../support/maildelivery.ts';

const full = process.env.CAREGATE_FULL !== undefined;
vi.setConfig({ testTimeout: 120_000 });

const head = ['From: a@b.example', 'To: c@d.example', 'Subject: x'].join('\r\n');
const megabytes = (count: number, unit: string): string => unit.repeat((count * 1_000_000) / unit.length);
const multipart = (boundary: string): string =>
  `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`;
const nested = (depth: number): string =>
  Array.from({ length: depth }, (_, number) => multipart(`b${number}`)).join('');
/** The size of what is written out for the whole suite, in megabytes; a tenth of it else. */
const size = full ? 30 : 3;

const bombs: readonly [name: string, make: () => string][] = [
  ['ten thousand parts', () => `${head}\r\n${multipart('b')}${'\r\nx\r\n--b\r\n'.repeat(10_000)}`],
  ['a million parts', () => `${head}\r\n${multipart('b')}${'\r\nx\r\n--b\r\n'.repeat(1_000_000)}`],
  ['a flood of header fields', () => `${head}\r\n${megabytes(size, 'X-A: b\r\n')}\r\nx`],
  ['a header field without end', () => `${head}\r\nX-A: ${megabytes(size, 'b')}\r\n\r\nx`],
  ['a header that is folded without end', () => `${head}\r\nX-A: ${megabytes(size, 'b\r\n ')}\r\n\r\nx`],
  ['multiparts in multiparts', () => `${head}\r\n${nested(900)}\r\n${megabytes(size, '--x\r\n')}`],
  ['mails with many mails in them', () => {
    const mail = (boundary: string, inner: string) =>
      `${head}\r\n${multipart(boundary)}${`Content-Type: message/rfc822\r\n\r\n${inner}\r\n--${boundary}\r\n`.repeat(11)}`;
    return mail('a', mail('b', mail('c', `${head}\r\n\r\nx`)));
  }],
]; // biome-ignore format: a table

describe('a mail that is made to exhaust its reader', () => {
  it.each(bombs)('by %s is refused by name', async (_, make) => {
    await expect(parseMessage(Buffer.from(make(), 'latin1'))).toFailWithCode('MAIL_TOO_LARGE');
  });

  it('by mails in mails is opened as far as the limit, and what is deeper is closed', async () => {
    const inner = `Content-Type: message/rfc822\r\n\r\n${head}\r\n`.repeat(size * 1000);
    const { parts } = await parseMessage(Buffer.from(`${head}\r\n${inner}\r\nx`));
    expect(parts.length).toBeLessThanOrEqual(7);
    expect(parts.at(-1)).toMatchObject({ role: 'embedded' });
    expect(parts.at(-1)?.text).toBeUndefined();
  });

  it('by twenty multiparts in each other is still read', async () => {
    const raw = rawMail(head, `${nested(20)}Content-Type: text/plain`, '', 'x');
    expect((await parseMessage(raw)).parts).toMatchObject([{ text: 'x' }]);
  });
});

describe('text of any length', () => {
  it('is read as far as a page can hold of it, and its bytes are kept whole', async () => {
    const body = 'é'.repeat(8_500_000);
    const raw = Buffer.from(`${head}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}`);
    const [part] = (await parseMessage(raw)).parts;
    expect(part?.bytes).toHaveLength(17_000_000);
    expect(part?.text).toBe('é'.repeat(4_000_000));
  });
});

/** Reads a mail of nearly 40 MB in a process of its own, and prints the most memory that it had, in bytes. */
const script = `
  import { parseMessage } from './lib/mail/message.ts';
  import { readEvidence } from './lib/evidence/evidence.ts';
  import { loadCircle } from './lib/provenance/circle.ts';
  const line = Buffer.alloc(57, 'ABC').toString('base64') + '\\r\\n';
  const body = line.repeat(Math.floor((39.5 * 1024 * 1024) / line.length));
  const raw = Buffer.from('${head.replaceAll('\r\n', '\\r\\n')}\\r\\n${multipart('b').replaceAll('\r\n', '\\r\\n')}\\r\\nhello\\r\\n--b\\r\\nContent-Type: application/octet-stream\\r\\nContent-Transfer-Encoding: base64\\r\\n\\r\\n' + body + '--b--\\r\\n');
  const message = await parseMessage(raw);
  const circle = loadCircle('rules/circle.example.yaml');
  const { evidence } = await readEvidence(message, { circle, clock: { now: () => 1_800_000_000_000 } });
  console.log(JSON.stringify({ size: message.parts[1].bytes.length, documents: evidence.documents.length, memory: process.resourceUsage().maxRSS * 1024 }));
  process.exit(0);
`;

describe('a mail of 40 MB', () => {
  it('is read within 1 GB of memory', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      script,
    ]);
    const { size: bytes, documents, memory } = JSON.parse(stdout);
    expect(bytes).toBeGreaterThan(29_000_000);
    expect(documents).toBe(2);
    expect(memory).toBeLessThan(1024 ** 3);
  });
});
