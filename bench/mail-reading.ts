import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCircle } from '../lib/provenance/circle.ts';
import { samples } from '../samples/index.ts';
import type { Reading } from './mail.bench.ts';

/** Reads all mails of a folder over and over by one reader, and prints how fast it was and how much memory it took. */
const [reader = 'parse', folder = 'samples'] = process.argv.slice(2);
const rounds = 5;
const roundSeconds = 1;
const circle = loadCircle('rules/circle.example.yaml');
const clock = { now: () => Date.parse('2027-02-01T09:00:00Z') };
const mails = await mailsOf(folder);
const idle = memory();

type Read = (raw: Uint8Array) => Promise<unknown>;

/** Each reader is loaded alone, so that its memory is its own. */
async function load(name: string): Promise<Read> {
  if (name === 'mailparser') {
    const { simpleParser } = await import('mailparser');
    return (raw) => simpleParser(Buffer.from(raw));
  }
  const { parseMessage } = await import('../lib/mail/message.ts');
  if (name === 'parse') return parseMessage;
  const { readEvidence } = await import('../lib/evidence/evidence.ts');
  return async (raw) => readEvidence(await parseMessage(raw), { circle, clock });
}

/** A letter with one file of 28 MB, which is 38 MB in a mail. */
function largeMail(): Buffer {
  const line = `${Buffer.alloc(57, 'ABC').toString('base64')}\r\n`;
  const head =
    'From: a@b.example\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhello\r\n';
  const part = '--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  return Buffer.from(`${head}${part}${line.repeat(Math.floor(38_000_000 / line.length))}--b--\r\n`);
}

async function mailsOf(from: string): Promise<Uint8Array[]> {
  if (from === 'large') return [largeMail()];
  if (from === 'samples') return (await samples(clock, circle)).map(({ raw }) => raw);
  return readdirSync(from)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(from, name)));
}

/** The most that the process had so far, in megabytes. */
function memory(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/** Mails a second by the clock, and milliseconds of the processor for one. */
async function round(read: Read): Promise<{ rate: number; processor: number }> {
  const start = performance.now();
  const before = process.cpuUsage();
  let done = 0;
  do {
    for (const mail of mails) await read(mail);
    done += mails.length;
  } while (performance.now() - start < roundSeconds * 1000);
  const { user, system } = process.cpuUsage(before);
  return { rate: (done * 1000) / (performance.now() - start), processor: (user + system) / 1000 / done };
}

const read = await load(reader);
await round(read); // to warm up
const taken: { rate: number; processor: number }[] = [];
for (let number = 0; number < rounds; number += 1) taken.push(await round(read));
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? Number.NaN;
const result: Reading = {
  mails: mails.length,
  megabytes: mails.reduce((sum, mail) => sum + mail.length, 0) / 1_000_000,
  rate: median(taken.map((each) => each.rate)),
  processor: median(taken.map((each) => each.processor)),
  memory: memory(),
  idle,
};
console.log(JSON.stringify(result));
process.exit(0);
