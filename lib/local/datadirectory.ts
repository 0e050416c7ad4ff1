import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import { currentVersion, readVersion, versionFile, writeVersion } from './migration.ts';

/** Where a household's data lies on one machine. */
export interface DataDirectory {
  readonly root: string;
  readonly circleFile: string;
  /** Who changed the circle, and when. */
  readonly circleLog: string;
  readonly journal: string;
  readonly objects: string;
  readonly tables: string;
  readonly outbox: string;
  readonly events: string;
  /** How far the household's mailbox has been picked up. */
  readonly pickup: string;
  readonly signingKey: string;
  /** What the mail provider gave when somebody signed in. */
  readonly signIn: string;
  readonly log: string;
  /** What keeps the office from working now. */
  readonly troubles: string;
}

const connectionSchema = z.strictObject({
  pid: z.int().positive(),
  web: z.url(),
  /** How the pages are reached from outside. */
  publicUrl: z.url().optional(),
  smtp: z.int().positive(),
  region: z.string(),
  machine: z.string(),
  circle: z.string(),
  signingKey: z.string(),
  credentials: z.strictObject({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  endpoints: z.record(z.string(), z.url()),
});

/** How to reach a running office. Holds the secret that requests are signed with, so its file has mode 0600. */
export type ConnectionFile = z.infer<typeof connectionSchema>;

/**
 * Opens a data directory, and makes it if it is not there.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` for a file, a directory that cannot be written, or one of a newer
 *   version; nothing is changed then
 */
export function openDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!existsSync(versionFile(root))) writeVersion(root, currentVersion);
    readVersion(root);
  } catch (cause) {
    if (cause instanceof CaregateError) throw cause;
    throw invalid(path, 'cannot be made or written; name a directory of your own', cause);
  }
  return {
    root,
    circleFile: join(root, 'circle.yaml'),
    circleLog: join(root, 'circle-changes.jsonl'),
    journal: join(root, 'journal.sqlite'),
    objects: join(root, 'objects'),
    tables: join(root, 'tables'),
    outbox: join(root, 'outbox'),
    events: join(root, 'events'),
    pickup: join(root, 'pickup'),
    signingKey: join(root, 'signing-key.pem'),
    signIn: join(root, 'sign-in.json'),
    log: join(root, 'office.log'),
    troubles: join(root, 'troubles.json'),
  };
}

const connectionFile = (directory: string): string => join(resolve(directory), 'office.json');

/** Says how to reach the office that runs here, to programs of the same user only. */
export function writeConnection(directory: string, connection: ConnectionFile): void {
  const file = connectionFile(directory);
  const { accessKeyId, secretAccessKey } = connection.credentials; // the SDK adds notes of its own to the object
  const content = { ...connection, credentials: { accessKeyId, secretAccessKey } };
  writeFileSync(`${file}.new`, JSON.stringify(content, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeConnection(directory: string): void {
  rmSync(connectionFile(directory), { force: true });
}

/** What an office said of itself when it opened; it may be gone since. */
export function readConnection(directory: string): ConnectionFile | undefined {
  try {
    return connectionSchema.parse(JSON.parse(readFileSync(connectionFile(directory), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The office that runs on a data directory, or nothing. A file that a killed office left behind counts for nothing. */
export function findConnection(directory: string): ConnectionFile | undefined {
  try {
    const connection = readConnection(directory);
    if (connection !== undefined) process.kill(connection.pid, 0);
    return connection;
  } catch {
    return undefined;
  }
}

function invalid(path: string, what: string, cause?: unknown): CaregateError {
  return new CaregateError('DATA_DIRECTORY_INVALID', `data directory \`${path}\` ${what}`, { cause });
}
