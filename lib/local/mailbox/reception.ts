import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Clock } from '../../provenance/clock.ts';
import { base64Digest, sha256 } from '../../provenance/digest.ts';
import type { Reception, SesEvent } from './event.ts';

/** The name that the receiver writes into its trace headers; reserved, so that it can be nobody else's. */
export const receiverName = 'inbox.caregate.invalid';

/** Where the bytes of a delivery lie in the inbox bucket, as an S3 action with the prefix `mail/` puts them. */
export function inboxKey(messageId: string): string {
  return `mail/${messageId}`;
}

/**
 * The trace headers that a receiver puts in front of a mail (RFC 5321, 4.4), as SES does.
 * @param greeting what the client called itself; attacker-controlled
 * @param address where the client connected from
 */
export function traceHeaders(reception: Reception, greeting: string, address: string, clock: Clock): string {
  const { messageId, source, recipients } = reception;
  const name = greeting.replace(/[^\w.:[\]-]/g, '').slice(0, 255) || 'unknown';
  const to = recipients.length === 1 ? `\r\n for <${recipients[0]}>` : '';
  const date = new Date(clock.now()).toUTCString().replace('GMT', '+0000');
  return [
    `Return-Path: <${source}>\r\n`,
    `Received: from ${name} ([${address}])\r\n by ${receiverName} with SMTP id ${messageId}${to};\r\n ${date}\r\n`,
  ].join('');
}

/**
 * The trace headers in front of a mail that was fetched from a mailbox: for whom it was, which the sweep reads where the
 * event was lost.
 * @param host the server that it was fetched from, as the household names it
 */
export function pickupTrace(
  { messageId, source, recipients }: Reception,
  host: string,
  clock: Clock,
): string {
  const date = new Date(clock.now()).toUTCString().replace('GMT', '+0000');
  return [
    `Return-Path: <${source}>\r\n`,
    `Received: from ${host}\r\n by ${receiverName} with IMAP id ${messageId} for <${recipients[0]}>;\r\n ${date}\r\n`,
  ].join('');
}

/** Puts a mail into the inbox bucket. When it returns, the mail is there for good. */
export async function storeMail(
  s3: S3Client,
  bucket: string,
  messageId: string,
  mail: Uint8Array,
): Promise<void> {
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: inboxKey(messageId),
      Body: mail,
      IfNoneMatch: '*',
      ChecksumSHA256: base64Digest(sha256(mail)),
      ContentType: 'message/rfc822',
    }),
  );
}

/** Where events are kept beside the bytes of their mails. */
export interface EventKeeping {
  /** Told of each mail before its sender has an answer, so that what the receiver saw of it is kept. */
  readonly keep?: (event: SesEvent) => Promise<void>;
  /** Told of one that was kept, and whose bytes could not be stored: its sender tries again. */
  readonly drop?: (event: SesEvent) => Promise<void>;
}

/**
 * Keeps what the receiver saw of a mail, then stores its bytes, and takes back what was kept where that fails: the sweep
 * takes up bytes of which nothing is kept, as nobody's.
 * @param store puts the bytes into the inbox bucket
 */
export async function storeKept(
  event: SesEvent,
  { keep, drop }: EventKeeping,
  store: () => Promise<void>,
): Promise<void> {
  await keep?.(event);
  try {
    await store();
  } catch (error) {
    await drop?.(event);
    throw error;
  }
}

/** Whether a mail lies there. */
export async function isStored(s3: S3Client, bucket: string, messageId: string): Promise<boolean> {
  try {
    await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: inboxKey(messageId) }));
    return true;
  } catch (error) {
    if (error instanceof S3ServiceException && error.name === 'NotFound') return false;
    throw error;
  }
}

/** Reads a mail back from there, trace headers included. */
export async function readMail(s3: S3Client, bucket: string, messageId: string): Promise<Uint8Array> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: inboxKey(messageId) }));
  return (await Body?.transformToByteArray()) ?? new Uint8Array();
}
