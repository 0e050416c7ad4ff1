import { InvokeCommand } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { type Randomness, randomToken } from '../../provenance/randomness.ts';
import { JournalFile } from '../asl/journal-file.ts';
import { systemTimer } from '../asl/timer.ts';
import type { OfficeConnection } from '../connection.ts';
import type { DataDirectory } from '../datadirectory.ts';
import { lockDataDirectory } from '../datalock.ts';
import { dynamodbService } from '../endpoints/dynamodb.ts';
import type { FunctionRegistry } from '../endpoints/lambda.ts';
import type { Barrier } from './barrier.ts';
import { type SnapshotSource, takeSnapshot } from './snapshot.ts';

/** A snapshot that lies in a folder, and when the office stood so. */
const snapshotSchema = z.strictObject({ folder: z.string(), at: z.iso.datetime() });
export type Snapshot = z.infer<typeof snapshotSchema>;

const functionName = 'snapshot';
/** As long as a large household takes to copy, in seconds, many times over. */
const longest = 600;

export interface SnapshotParts extends SnapshotSource {
  readonly barrier: Barrier;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Lets whoever may call the functions of this office have a snapshot taken of it. */
export function offerSnapshots(registry: FunctionRegistry, parts: SnapshotParts): void {
  const take = async (): Promise<Snapshot> => ({
    at: isoTime(parts.clock),
    folder: await takeSnapshot(parts, randomToken(parts.randomness)),
  });
  registry.register(functionName, () => parts.barrier.hold(take), longest);
}

/**
 * Has a running office take a snapshot of itself.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` if it could not, for want of room perhaps
 */
export async function snapshotOf(office: OfficeConnection): Promise<Snapshot> {
  const answer = await office.lambda.send(new InvokeCommand({ FunctionName: functionName }));
  if (answer.FunctionError !== undefined) {
    const directory = 'the data directory';
    throw new CaregateError(
      'DATA_DIRECTORY_INVALID',
      `\`${directory}\` could not be copied; look whether there is room on its disk`,
    );
  }
  return snapshotSchema.parse(JSON.parse(new TextDecoder().decode(answer.Payload)));
}

/**
 * Takes a snapshot of a data directory that no office runs on, and keeps one from starting meanwhile.
 * @throws CaregateError `DATA_DIRECTORY_INVALID`
 */
export async function snapshotAtRest(
  data: DataDirectory,
  { clock, randomness }: Pick<SnapshotParts, 'clock' | 'randomness'>,
): Promise<Snapshot> {
  const lock = lockDataDirectory(data.root);
  try {
    const journal = new JournalFile(data.journal, { clock: systemTimer });
    const tables = await dynamodbService({ directory: data.tables });
    try {
      const source = { data, tables, journal: (file: string) => journal.snapshot(file) };
      return { at: isoTime(clock), folder: await takeSnapshot(source, randomToken(randomness)) };
    } finally {
      journal.close();
      await tables.close();
    }
  } finally {
    lock.release();
  }
}
