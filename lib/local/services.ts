import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../provenance/clock.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { Barrier } from './backup/barrier.ts';
import type { DataDirectory } from './datadirectory.ts';
import { bedrockService, type LocalModel } from './endpoints/bedrock.ts';
import { dynamodbService } from './endpoints/dynamodb.ts';
import { kmsService } from './endpoints/kms.ts';
import { type FunctionRegistry, lambdaService } from './endpoints/lambda.ts';
import { s3Service } from './endpoints/s3.ts';
import { type Credentials, startEndpoint } from './endpoints/server.ts';
import type { Service } from './endpoints/service.ts';
import { sesService } from './endpoints/ses.ts';
import { names } from './names.ts';
import type { Relay } from './relay/relay.ts';
import { tables as officeTables } from './tables.ts';

export interface ServiceOptions {
  readonly data: DataDirectory;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly credentials: Credentials;
  readonly registry: FunctionRegistry;
  readonly states: Service;
  readonly model: LocalModel;
  /** Told of what went wrong in a service; never of content. */
  readonly log: (line: string) => void;
  /** The addresses that mail may leave from. */
  readonly identities: readonly string[];
  /** Takes what was sent to the household's mail provider; without it mail stays in the outbox. */
  readonly relay?: Pick<Relay, 'work'> | undefined;
  /** Holds requests back while a snapshot is taken. */
  readonly barrier: Barrier;
}

/** Loopback services by the name that the AWS SDK gives them in its settings. */
export interface RunningServices {
  readonly endpoints: Readonly<Record<string, string>>;
  /** The tables themselves, past the barrier. */
  readonly tables: Service;
  close(): Promise<void>;
}

/** Starts every AWS service that the functions use, each on a free loopback port, and makes buckets and tables. */
export async function startServices(options: ServiceOptions): Promise<RunningServices> {
  const { data, clock, randomness, credentials } = options;
  const tables = await dynamodbService({ directory: data.tables });
  const stores: Readonly<Record<string, Service>> = {
    S3: await s3Service({ directory: data.objects, clock }),
    DYNAMODB: tables,
    KMS: await kmsService({ keyFile: data.signingKey }),
    SES: await sesService({
      outbox: data.outbox,
      clock,
      randomness,
      identities: options.identities,
      ruleSet: names.ruleSet,
      sending: options.relay !== undefined,
      onSent: () => void options.relay?.work(),
    }),
    SFN: options.states,
  };
  // A function waits for the stores, so that the one that runs functions must not wait for them to be quiet.
  const services: Readonly<Record<string, Service>> = {
    ...Object.fromEntries(
      Object.entries(stores).map(([name, store]) => [name, options.barrier.guard(store)]),
    ),
    LAMBDA: lambdaService(options.registry),
    BEDROCK_RUNTIME: bedrockService({ model: options.model }),
  };
  const started = await Promise.all(
    Object.entries(services).map(async ([name, service]) => ({
      name,
      endpoint: await startEndpoint(service, { credentials, clock, log: options.log }),
    })),
  );
  const endpoints = Object.fromEntries(started.map(({ name, endpoint }) => [name, endpoint.url]));
  const close = async (): Promise<void> => {
    await Promise.all(started.map(({ endpoint }) => endpoint.close()));
    await tables.close();
  };
  try {
    await makeResources(endpoints, credentials);
  } catch (error) {
    await close();
    throw error;
  }
  return { endpoints, tables, close };
}

async function makeResources(
  endpoints: Readonly<Record<string, string>>,
  credentials: Credentials,
): Promise<void> {
  const at = (name: string) => ({ region: names.region, credentials, endpoint: endpoints[name] ?? '' });
  const s3 = new S3Client({ ...at('S3'), forcePathStyle: true });
  const dynamodb = new DynamoDBClient(at('DYNAMODB'));
  try {
    for (const bucket of [names.caseBucket, names.inboxBucket]) {
      await unlessThere(BucketAlreadyOwnedByYou, s3.send(new CreateBucketCommand({ Bucket: bucket })));
    }
    for (const table of officeTables) {
      await unlessThere(ResourceInUseException, dynamodb.send(new CreateTableCommand(table)));
    }
  } finally {
    s3.destroy();
    dynamodb.destroy();
  }
}

/** Makes a thing, or finds it there: an office that starts again has its buckets and tables. */
async function unlessThere(
  there: abstract new (...args: never[]) => Error,
  making: Promise<unknown>,
): Promise<void> {
  try {
    await making;
  } catch (error) {
    if (!(error instanceof there)) throw error;
  }
}
