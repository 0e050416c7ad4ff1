import { S3Client } from '@aws-sdk/client-s3';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Randomness } from '../provenance/randomness.ts';
import { type FunctionRegistry, invokeEvent } from './endpoints/lambda.ts';
import type { Credentials } from './endpoints/server.ts';
import { type Inbox, startInbox } from './mailbox/inbox.ts';
import { householdVerdicts } from './mailbox/verdicts.ts';
import { names } from './names.ts';

export interface HouseholdInboxOptions {
  readonly circle: Circle;
  readonly registry: FunctionRegistry;
  readonly endpoints: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly port: number;
}

/** The inbox of the circle's address, wired as the receiving rule of a deployment: store, then call `ingest`. */
export async function openHouseholdInbox(options: HouseholdInboxOptions): Promise<Inbox> {
  const { circle, registry, endpoints, credentials, clock, randomness, port } = options;
  const s3 = new S3Client({
    region: names.region,
    credentials,
    endpoint: endpoints.S3 ?? '',
    forcePathStyle: true,
  });
  const inbox = await startInbox({
    s3,
    bucket: names.inboxBucket,
    recipients: () => [circle.inbox],
    port,
    clock,
    randomness,
    verdicts: householdVerdicts(() => [...circle.people, ...circle.contacts].map(({ email }) => email)),
    // What fails every time is not lost: the bytes are stored, and the next sweep takes them over.
    deliver: async (event) => {
      await invokeEvent(registry, 'ingest', event);
    },
  });
  return {
    port: inbox.port,
    close: async () => {
      await inbox.close();
      s3.destroy();
    },
  };
}
