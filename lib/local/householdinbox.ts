import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { addressesOf, type Circles } from '../provenance/circles.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Randomness } from '../provenance/randomness.ts';
import { type FunctionRegistry, invokeEvent } from './endpoints/lambda.ts';
import type { Credentials } from './endpoints/server.ts';
import { type SesEvent, sesEvent } from './mailbox/event.ts';
import { EventQueue } from './mailbox/eventqueue.ts';
import { type Inbox, type InboxOptions, startInbox } from './mailbox/inbox.ts';
import { isStored, pickupTrace, readMail, storeKept, storeMail } from './mailbox/reception.ts';
import type { InboxSettings } from './mailbox/settings.ts';
import { householdVerdicts } from './mailbox/verdicts.ts';
import { names } from './names.ts';
import type { PickedMail } from './pickup/pickup.ts';

export interface HouseholdInboxOptions {
  /** Where events wait that `ingest` has not taken over yet. */
  readonly events: string;
  readonly circles: Circles;
  readonly registry: FunctionRegistry;
  readonly endpoints: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly port: number;
  /** Where an inbox listens for other machines too, and how it is protected. */
  readonly listen?: InboxSettings | undefined;
  /**
   * Given each mail as its case is started: a bounce of a letter comes back in this way. Given the same mail again when
   * it failed, or when an office was ended in between.
   */
  readonly onMail?: (raw: Uint8Array) => Promise<void>;
  /** Told of what went wrong, by codes; never of content or addresses. */
  readonly log?: (line: string) => void;
  /** Told of a mail that is for none of the circles: nobody of a household can be asked whose it is. */
  readonly onUnassigned?: () => void;
}

export interface HouseholdInbox extends Inbox {
  /** The port for other machines, where there is one. */
  readonly outerPort: number | undefined;
  /**
   * Takes over a mail that was fetched from a mailbox, on the way that one takes which came by SMTP. The same bytes
   * have the same id, so that doing it again makes no second delivery.
   * @param inbox the address of the circle whose mail it is, whatever the mail says that it is sent to
   */
  take(mail: PickedMail, inbox: string): Promise<void>;
}

/** The inbox of the circles' addresses, wired as the receiving rule of a deployment: store, then call `ingest`. */
export async function openHouseholdInbox(options: HouseholdInboxOptions): Promise<HouseholdInbox> {
  const { circles, registry, endpoints, credentials, clock, randomness, port } = options;
  const s3 = new S3Client({
    region: names.region,
    credentials,
    endpoint: endpoints.S3 ?? '',
    forcePathStyle: true,
  });
  const queue = new EventQueue(options.events);
  const deliver = async (id: string, event: unknown): Promise<void> => {
    // The case first: what else is read of the mail takes time, in which the sweep would find bytes without a case, and
    // take them up as nobody's.
    const answer = await invokeEvent(registry, 'ingest', event);
    if ('error' in answer) return;
    try {
      if (options.onMail !== undefined) await options.onMail(await readMail(s3, names.inboxBucket, id));
    } catch (error) {
      options.log?.(`inbox: a mail waits in the queue: ${error instanceof Error ? error.name : 'unknown'}`);
      return;
    }
    await queue.remove(id);
    const taken = takenSchema.safeParse(answer.payload);
    if (taken.success && taken.data.unassigned > 0) options.onUnassigned?.();
  };
  for (const { id, event } of await queue.left()) {
    if (await isStored(s3, names.inboxBucket, id)) await deliver(id, event);
    // An office that was ended before the bytes were there answered for nothing: whoever has the mail brings it again.
    else await queue.remove(id);
  }
  const common = {
    s3,
    bucket: names.inboxBucket,
    recipients: () => circles.flatMap((circle) => addressesOf(circle, circles)),
    clock,
    randomness,
    ...(options.log === undefined ? {} : { log: options.log }),
    verdicts: householdVerdicts(() =>
      circles.flatMap(({ people, contacts }) => [...people, ...contacts]).map(({ email }) => email),
    ),
    keep: (event: SesEvent) => queue.keep(idOf(event), event),
    drop: (event: SesEvent) => queue.remove(idOf(event)),
    // What fails every time is not lost: it waits in the queue for the next start, and the sweep finds its bytes.
    deliver: (event: SesEvent) => deliver(idOf(event), event),
  };
  const inbox = await startInbox({ ...common, port });
  const outer = await openOuter(inbox, options.listen && { ...common, ...options.listen });
  return {
    port: inbox.port,
    outerPort: outer?.port,
    renew: () => outer?.renew(),
    take: async (mail, address) => {
      const reception = { messageId: mail.id, source: mail.source, recipients: [address] };
      const trace = Buffer.from(pickupTrace(reception, mail.host, clock));
      const event = sesEvent(reception, mail.verdicts, clock);
      await storeKept(event, common, () => storeOnce(s3, mail.id, Buffer.concat([trace, mail.bytes])));
      await deliver(mail.id, event);
    },
    close: async () => {
      await Promise.all([inbox.close(), outer?.close()]);
      s3.destroy();
    },
  };
}

/** The inbox for other machines, where one is wanted; if it cannot be opened, neither is open. */
async function openOuter(inner: Inbox, options: InboxOptions | undefined): Promise<Inbox | undefined> {
  try {
    return options && (await startInbox(options));
  } catch (error) {
    await inner.close();
    throw error;
  }
}

/** What `ingest` says of the mails that it was handed. */
const takenSchema = z.object({ unassigned: z.int() });

/** Stores a mail that may be there already: an office that was ended before it could note it fetches it again. */
async function storeOnce(s3: S3Client, id: string, mail: Uint8Array): Promise<void> {
  try {
    await storeMail(s3, names.inboxBucket, id, mail);
  } catch (error) {
    if (!(error instanceof S3ServiceException) || error.name !== 'PreconditionFailed') throw error;
  }
}

function idOf(event: SesEvent): string {
  return event.Records[0]?.ses.mail.messageId ?? 'event';
}
