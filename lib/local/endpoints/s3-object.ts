import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import { checksumAlgorithms } from './s3-checksum.ts';

const headSchema = z.strictObject({
  key: z.string(),
  /** 1 for the first version of the key, and so on. */
  sequence: z.int().positive(),
  version: z.string(),
  size: z.int().nonnegative(),
  /** The MD5 of the body in hexadecimal digits, without the quotes that S3 puts around it. */
  etag: z.string(),
  modified: z.int(),
  contentType: z.string(),
  /** Standard headers that S3 keeps and returns as they are. */
  headers: z.record(z.string(), z.string()),
  /** The `x-amz-meta-` headers without that prefix. */
  metadata: z.record(z.string(), z.string()),
  checksums: z.partialRecord(z.enum(checksumAlgorithms), z.string()),
});

/** Everything about one version of an object but its bytes. */
export type ObjectHead = z.infer<typeof headSchema>;

/** A version of an object as a file: one line of JSON, the head, and then the bytes. */
export interface ObjectFile {
  readonly head: ObjectHead;
  /** Where the bytes begin. */
  readonly offset: number;
}

const newline = 10;
const probe = 4096;

/** The first part of an object's file. JSON escapes line ends, so that the first one ends the head. */
export function encodeHead(head: ObjectHead): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n`, 'utf8');
}

/**
 * Reads the head of an object's file.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` if the file is not one, or is shorter or longer than its head says
 */
export function readHead(path: string): ObjectFile {
  const file = openSync(path, 'r');
  try {
    let bytes = Buffer.alloc(0);
    for (;;) {
      const more = Buffer.alloc(probe);
      const read = readSync(file, more, 0, probe, bytes.length);
      bytes = Buffer.concat([bytes, more.subarray(0, read)]);
      const end = bytes.indexOf(newline);
      if (end >= 0) return checkedFile(file, parseHead(bytes.toString('utf8', 0, end), path), end + 1, path);
      if (read === 0) throw corrupt(path);
    }
  } finally {
    closeSync(file);
  }
}

/** Bytes `from` (inclusive) to `to` (exclusive) of an object, from its file. */
export async function readBytes(path: string, offset: number, from: number, to: number): Promise<Uint8Array> {
  const file: FileHandle = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(to - from);
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + from + done);
      if (bytesRead === 0) throw corrupt(path);
      done += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

function checkedFile(file: number, head: ObjectHead, offset: number, path: string): ObjectFile {
  if (fstatSync(file).size !== offset + head.size) throw corrupt(path);
  return { head, offset };
}

function parseHead(text: string, path: string): ObjectHead {
  try {
    return headSchema.parse(JSON.parse(text));
  } catch (error) {
    throw corrupt(path, error);
  }
}

function corrupt(path: string, cause?: unknown): CaregateError {
  return new CaregateError(
    'DATA_DIRECTORY_INVALID',
    `object file \`${path}\` is damaged; restore it from a backup`,
    { cause },
  );
}
