import { S3Client } from '@aws-sdk/client-s3';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { FunctionRegistry } from './endpoints/lambda.ts';
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
    deliver: (event) => deliver(registry, event),
  });
  return {
    port: inbox.port,
    close: async () => {
      await inbox.close();
      s3.destroy();
    },
  };
}

/** How often an event is handed over, as Lambda does with an asynchronous one. */
const attempts = 3;

/** What fails every time is not lost: the bytes are stored, and the next sweep takes them over. */
async function deliver(registry: FunctionRegistry, event: unknown): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const answer = await registry.invoke('ingest', event);
    if (!('error' in answer)) return;
    await new Promise((resolve) => setTimeout(resolve, attempt * 500));
  }
}
