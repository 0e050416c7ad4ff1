import { styleText } from 'node:util';
import { CaregateError, type ErrorCode } from '../errors.ts';

/** Exit codes: what was asked for did not hold, and what was asked cannot be done. */
export const exitCodes = { failed: 1, usage: 2 } as const;

export interface Output {
  readonly json: boolean;
  /** A line for people, on standard output. Nothing under `--json`. */
  line(text?: string): void;
  /** One object as one line of JSON. Nothing without `--json`. */
  object(value: unknown): void;
  /** Progress, on standard error, where it does not mix with results. */
  progress(text: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    line: (text = '') => {
      if (!json) process.stdout.write(`${text}\n`);
    },
    object: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    progress: (text) => {
      process.stderr.write(`${text}\n`);
    },
  };
}

const usageCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_INPUT',
  'CONFIGURATION_INVALID',
  'NOT_FOUND',
  'MAIL_UNREADABLE',
  'MAIL_TOO_LARGE',
  'DATA_DIRECTORY_INVALID',
  'BACKUP_INVALID',
  'PORT_IN_USE',
]);

/** Says an error and gives the exit code for it. */
export function reportError(error: unknown, json: boolean): number {
  const known = error instanceof CaregateError;
  const code = known ? error.code : 'UNEXPECTED';
  const text = known
    ? error.message
    : `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (json) process.stdout.write(`${JSON.stringify({ error: code, message: text })}\n`);
  process.stderr.write(`${styleText('red', 'caregate:', { stream: process.stderr })} ${text}\n`);
  return known && usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}

/** Text in columns, as wide as they need to be; the last one is left as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
