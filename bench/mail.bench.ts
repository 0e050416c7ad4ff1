import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const title = 'Reading mail: caregate beside bare mailparser, on the same files';

/** What one reader did with the mails, as its process prints it. */
export interface Reading {
  readonly mails: number;
  readonly megabytes: number;
  /** Mails a second, the median of the rounds. */
  readonly rate: number;
  /** Milliseconds of the processor for one mail, the median too: what else the machine does counts for less. */
  readonly processor: number;
  /** The most memory that the process had, in megabytes, and how much of it before the first mail. */
  readonly memory: number;
  readonly idle: number;
}

export const readers = ['mailparser', 'parse', 'evidence'] as const;
const names: Readonly<Record<(typeof readers)[number], string>> = {
  mailparser: 'mailparser 3.14, simpleParser',
  parse: 'caregate, every part hashed, mails in mails',
  evidence: 'caregate, documents and facts as well',
};

const collection = fileURLToPath(new URL('../../shared/mail/', import.meta.url));

/** Each reader has a process of its own, so that none leaves memory or warm code to the next. */
async function run(reader: string, folder: string): Promise<Reading> {
  const script = fileURLToPath(new URL('mail-reading.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, reader, folder]);
  return JSON.parse(stdout) as Reading;
}

async function table(folder: string, what: string): Promise<string[]> {
  const lines: string[] = [];
  for (const reader of readers) {
    const { mails, megabytes, rate, processor, memory, idle } = await run(reader, folder);
    if (lines.length === 0) lines.push(`${mails} ${what}, ${megabytes.toFixed(2)} MB in all`);
    const speed = `${rate.toFixed(rate < 10 ? 2 : 0).padStart(6)} mails/s ${processor.toFixed(1).padStart(7)} ms each`;
    const most = `${memory.toFixed(0).padStart(4)} MB (${idle.toFixed(0)} MB before the first)`;
    lines.push(`${names[reader].padEnd(44)} ${speed}   ${most}`);
  }
  return lines;
}

export async function measure(): Promise<readonly string[]> {
  const peculiar = existsSync(collection)
    ? await table(collection, 'peculiar mails of the collection')
    : ['the collection of peculiar mails is not there: left out'];
  const large = await table('large', 'mail of 38 MB');
  return [...(await table('samples', 'samples')), '', ...peculiar, '', ...large];
}
