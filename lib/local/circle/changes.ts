import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { type Circle, circleDigest } from '../../provenance/circle.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** One change of a circle's file: what, by whom, and the digests around it. No name and no address stands in it. */
export const circleChangeSchema = z.strictObject({
  at: z.iso.datetime(),
  /** The user of this machine. */
  by: z.string(),
  /** `edited`: the file was changed by hand, and the office found it so when it started. */
  change: z.enum(['made', 'added', 'removed', 'edited']),
  list: z.enum(['people', 'contacts']).optional(),
  id: z.string().optional(),
  before: digest.optional(),
  after: digest,
});
export type CircleChange = z.infer<typeof circleChangeSchema>;

/** Writes down a change. The record is only ever added to. */
export function recordChange(
  file: string,
  clock: Clock,
  change: Omit<CircleChange, 'at' | 'by'>,
): CircleChange {
  const line = circleChangeSchema.parse({ at: isoTime(clock), by: userInfo().username, ...change });
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  return line;
}

/**
 * Every change that was written down, the oldest first.
 * @throws CaregateError `CONFIGURATION_INVALID` naming the line that is not one
 */
export function readChanges(file: string): CircleChange[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1, file)]));
}

function parseLine(line: string, number: number, file: string): CircleChange {
  try {
    return circleChangeSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `\`${file}\` line ${number} is no change of a circle; move the file away to begin a new record`,
      { cause },
    );
  }
}

/** Holds at the start of an office that the record knows the circle as it is; a change by hand is written down then. */
export function noteCircle(file: string, clock: Clock, circle: Circle): CircleChange | undefined {
  const last = readChanges(file).at(-1);
  const after = circleDigest(circle);
  if (last?.after === after) return undefined;
  return recordChange(file, clock, { change: 'edited', after, ...(last && { before: last.after }) });
}
