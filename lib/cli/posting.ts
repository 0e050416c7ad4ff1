import { readFile, stat } from 'node:fs/promises';
import { createTransport } from 'nodemailer';
import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { caseIdSchema, circleIdSchema } from '../casefile/schemas.ts';
import { CaregateError } from '../errors.ts';
import type { OfficeConnection } from '../local/connection.ts';
import { parseMessage } from '../mail/message.ts';
import type { CaseId } from '../provenance/identifiers.ts';

/** A mail to hand over, as it lies in a file. */
export interface Posting {
  /** What to call it: the file's name. */
  readonly name: string;
  readonly raw: Uint8Array;
  /** The envelope sender. */
  readonly from: string;
}

/** The most that the inbox takes, in bytes: what SES takes with its S3 action. */
const largest = 40 * 1024 * 1024;

/**
 * Reads a mail from a file.
 * @throws CaregateError `NOT_FOUND`, `MAIL_TOO_LARGE`, `MAIL_UNREADABLE`, each naming the file
 */
export async function readPosting(file: string): Promise<Posting> {
  const raw = await readMailFile(file);
  try {
    const message = await parseMessage(raw);
    return { name: file, raw, from: message.from[0]?.address ?? '' };
  } catch (cause) {
    if (!(cause instanceof CaregateError)) throw cause;
    throw new CaregateError(
      cause.code,
      `file \`${file}\` is not a mail that can be read; give an .eml file`,
      { cause },
    );
  }
}

async function readMailFile(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch((cause: unknown) => {
    throw new CaregateError('NOT_FOUND', `file \`${file}\` does not exist; check the path`, { cause });
  });
  if (!found.isFile())
    throw new CaregateError('INVALID_INPUT', `\`${file}\` is not a file; give an .eml file`);
  if (found.size > largest) {
    throw new CaregateError(
      'MAIL_TOO_LARGE',
      `file \`${file}\` is over 40 MB, which no inbox takes; forward it without its attachments`,
    );
  }
  return readFile(file);
}

const startingSchema = z.looseObject({ case: caseIdSchema, circle: circleIdSchema });

/**
 * Hands a mail to the office's inbox by SMTP, as a mail program would.
 * @param inbox the circle's address
 * @returns the case that took it
 */
export async function post(office: OfficeConnection, inbox: string, posting: Posting): Promise<CaseId> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: office.file.smtp,
    secure: false,
    ignoreTLS: true,
  });
  try {
    const sent = await transport.sendMail({
      envelope: { from: posting.from, to: inbox },
      raw: Buffer.from(posting.raw),
    });
    const [, delivery = ''] = /([A-Za-z0-9-]+)\s*$/.exec(sent.response) ?? [];
    return await caseOf(office, delivery);
  } catch (cause) {
    if (cause instanceof CaregateError) throw cause;
    throw new CaregateError(
      'OFFICE_UNREACHABLE',
      `mail \`${posting.name}\` was not taken by the inbox; see \`caregate doctor\``,
      { cause },
    );
  } finally {
    transport.close();
  }
}

/** The case that a delivery went to: the receiver hands a mail over before it answers, so it is there at once. */
async function caseOf(office: OfficeConnection, delivery: string): Promise<CaseId> {
  for (let wait = 50; wait <= 3200; wait *= 2) {
    const starting = await findRecord(office.store, layout.starting(delivery), startingSchema);
    if (starting !== undefined) return starting.case;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  throw new CaregateError(
    'NOT_FOUND',
    `delivery \`${delivery}\` has no case yet; list the cases with \`caregate cases\``,
  );
}
