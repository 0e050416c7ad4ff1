import type { SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { type Pointer, readRecord, writeRecord } from '../casefile/record.ts';
import { startCase } from '../casefile/start.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import { digestOf } from '../provenance/digest.ts';
import { caseIdOf } from '../provenance/identifiers.ts';
import { type Delivery, deliverySchema } from './delivery.ts';
import { judgeBytes } from './dispatch.ts';
import { messageIdOf } from './trace.ts';

const verdict = z.object({ status: z.string() }).optional();

/** The event of the receiving rule's Lambda action. The addresses in it are attacker-controlled, the verdicts not. */
export const mailEventSchema = z.object({
  Records: z.array(
    z.object({
      ses: z.object({
        mail: z.object({ messageId: z.string(), source: z.string().catch(''), timestamp: z.iso.datetime() }),
        receipt: z.object({
          recipients: z.array(z.string()),
          spamVerdict: verdict,
          virusVerdict: verdict,
          spfVerdict: verdict,
          dkimVerdict: verdict,
          dmarcVerdict: verdict,
        }),
      }),
    }),
  ),
});
export type MailEvent = z.infer<typeof mailEventSchema>;

export interface IngestParts {
  readonly store: ObjectStore;
  readonly inbox: ObjectStore;
  readonly sfn: SFNClient;
  readonly machine: string;
  readonly circle: Circle;
}

/** Where the receiver puts a mail's bytes: a prefix and the id that it gave the delivery. */
export const mailPrefix = 'mail/';

/**
 * Takes the deliveries of one event over: records what the receiver said of each, and starts the case of its
 * message. Handing the same mail over again is not an error and starts nothing.
 */
export async function ingest(parts: IngestParts, event: MailEvent): Promise<void> {
  for (const { ses } of event.Records) {
    await takeOver(parts, {
      id: ses.mail.messageId,
      receivedAt: ses.mail.timestamp,
      source: ses.mail.source,
      recipients: ses.receipt.recipients,
      verdicts: {
        spam: verdictOf(ses.receipt.spamVerdict),
        virus: verdictOf(ses.receipt.virusVerdict),
        spf: verdictOf(ses.receipt.spfVerdict),
        dkim: verdictOf(ses.receipt.dkimVerdict),
        dmarc: verdictOf(ses.receipt.dmarcVerdict),
      },
      mail: { bucket: parts.inbox.bucket, key: `${mailPrefix}${ses.mail.messageId}` },
    });
  }
}

/** Records one delivery and starts its case. It is judged by what was recorded first, as dispatch will judge it. */
export async function takeOver(parts: IngestParts, given: Delivery): Promise<void> {
  const { store, inbox, sfn, machine, circle } = parts;
  if ((await store.find(layout.starting(given.id))) !== undefined) return;
  const mail = await inbox.read(given.mail.key);
  const { delivery, pointer } = await recordDelivery(store, given);
  const message = messageIdOf(mail.bytes);
  const { admitted } = await judgeBytes(mail.bytes, delivery, circle);
  const caseId = caseIdOf(circle.id, message, admitted);
  await startCase(sfn, machine, { circle: circle.id, case: caseId, message, delivery: pointer, run: 0 });
  await writeRecord(store, layout.starting(delivery.id), { case: caseId, circle: circle.id });
}

/** Writes the delivery once. What the first event said stands: a repeated event cannot change a verdict. */
async function recordDelivery(
  store: ObjectStore,
  delivery: Delivery,
): Promise<{ delivery: Delivery; pointer: Pointer }> {
  const key = layout.delivery(delivery.id);
  try {
    return { delivery, pointer: await writeRecord(store, key, delivery) };
  } catch (error) {
    if (!isCaregateError(error, 'CREATE_CONFLICT')) throw error;
    const first = await readRecord(store, key, deliverySchema);
    return { delivery: first, pointer: { key, sha256: digestOf(first) } };
  }
}

function verdictOf(given: { status: string } | undefined): Delivery['verdicts']['spam'] {
  const parsed = deliverySchema.shape.verdicts.shape.spam.safeParse(given?.status);
  return parsed.success ? parsed.data : 'UNKNOWN';
}
