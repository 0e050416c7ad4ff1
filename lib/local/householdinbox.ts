import { S3Client } from '@aws-sdk/client-s3';
import type { Circles } from '../provenance/circles.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Randomness } from '../provenance/randomness.ts';
import { type FunctionRegistry, invokeEvent } from './endpoints/lambda.ts';
import type { Credentials } from './endpoints/server.ts';
import type { SesEvent } from './mailbox/event.ts';
import { EventQueue } from './mailbox/eventqueue.ts';
import { type Inbox, startInbox } from './mailbox/inbox.ts';
import { householdVerdicts } from './mailbox/verdicts.ts';
import { names } from './names.ts';

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
}

/** The inbox of the circles' addresses, wired as the receiving rule of a deployment: store, then call `ingest`. */
export async function openHouseholdInbox(options: HouseholdInboxOptions): Promise<Inbox> {
  const { circles, registry, endpoints, credentials, clock, randomness, port } = options;
  const s3 = new S3Client({
    region: names.region,
    credentials,
    endpoint: endpoints.S3 ?? '',
    forcePathStyle: true,
  });
  const queue = new EventQueue(options.events);
  const deliver = async (id: string, event: unknown): Promise<void> => {
    const answer = await invokeEvent(registry, 'ingest', event);
    if (!('error' in answer)) await queue.remove(id);
  };
  for (const { id, event } of await queue.left()) await deliver(id, event);
  const inbox = await startInbox({
    s3,
    bucket: names.inboxBucket,
    recipients: () => circles.map(({ inbox }) => inbox),
    port,
    clock,
    randomness,
    verdicts: householdVerdicts(() =>
      circles.flatMap(({ people, contacts }) => [...people, ...contacts]).map(({ email }) => email),
    ),
    keep: (event) => queue.keep(idOf(event), event),
    // What fails every time is not lost: it waits in the queue for the next start, and the sweep finds its bytes.
    deliver: (event) => deliver(idOf(event), event),
  });
  return {
    port: inbox.port,
    close: async () => {
      await inbox.close();
      s3.destroy();
    },
  };
}

function idOf(event: SesEvent): string {
  return event.Records[0]?.ses.mail.messageId ?? 'event';
}
