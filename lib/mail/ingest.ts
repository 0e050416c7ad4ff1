import type { SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { type CaseKey, layout } from '../casefile/layout.ts';
import { type Pointer, readRecord, writeRecord } from '../casefile/record.ts';
import { startCase } from '../casefile/start.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { isCaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Circles, circlesAddressed } from '../provenance/circles.ts';
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
  readonly circles: Circles;
}

/** Where the receiver puts a mail's bytes: a prefix and the id that it gave the delivery. */
export const mailPrefix = 'mail/';

/**
 * Takes the deliveries of one event over: records what the receiver said of each, and starts the case of its
 * message. Handing the same mail over again is not an error and starts nothing.
 * @returns how many of the deliveries are for none of the circles; those are kept, and recorded as such
 */
export async function ingest(parts: IngestParts, event: MailEvent): Promise<{ unassigned: number }> {
  let unassigned = 0;
  for (const { ses } of event.Records) {
    const taken = await takeOver(parts, {
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
    if (taken !== 'started') unassigned += 1;
  }
  return { unassigned };
}

/**
 * Records one delivery and starts its case: in every circle whose inbox it was sent to, as mailboxes of their own
 * would each get it. A mail for none of them is recorded as unassigned; the sweep takes it up once it has a circle.
 * @returns what became of it: `waiting` is one that was recorded as unassigned before
 */
export async function takeOver(
  parts: IngestParts,
  given: Delivery,
): Promise<'started' | 'unassigned' | 'waiting'> {
  const { store, inbox } = parts;
  if ((await store.find(layout.starting(given.id))) !== undefined) return 'started';
  const mail = await inbox.read(given.mail.key);
  const recorded = await recordDelivery(store, given);
  const { id, recipients } = recorded.delivery;
  const [first, ...others] = await Promise.all(
    circlesAddressed(parts.circles, recipients).map((circle) => startIn(parts, circle, recorded, mail.bytes)),
  );
  if (first === undefined) {
    const known = await store.find(layout.unassigned(id));
    await writeRecord(store, layout.unassigned(id), { reason: 'NO_CIRCLE', delivery: recorded.pointer });
    return known === undefined ? 'unassigned' : 'waiting';
  }
  await writeRecord(store, layout.starting(id), others.length === 0 ? first : { ...first, others });
  return 'started';
}

/** Starts the case in one circle. The mail is judged by what was recorded first, as dispatch will judge it. */
async function startIn(
  { sfn, machine }: IngestParts,
  circle: Circle,
  { delivery, pointer }: RecordedDelivery,
  bytes: Uint8Array,
): Promise<CaseKey> {
  const message = messageIdOf(bytes);
  const { admitted } = await judgeBytes(bytes, delivery, circle);
  const key = { circle: circle.id, case: caseIdOf(circle.id, message, admitted) };
  await startCase(sfn, machine, { ...key, message, delivery: pointer, run: 0 });
  return key;
}

interface RecordedDelivery {
  readonly delivery: Delivery;
  readonly pointer: Pointer;
}

/** Writes the delivery once. What the first event said stands: a repeated event cannot change a verdict. */
async function recordDelivery(store: ObjectStore, delivery: Delivery): Promise<RecordedDelivery> {
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
