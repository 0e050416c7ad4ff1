import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { type S3Options, s3Service } from '../../lib/local/endpoints/s3.ts';
import { type Endpoint, type EndpointOptions, startEndpoint } from '../../lib/local/endpoints/server.ts';
import type { Service } from '../../lib/local/endpoints/service.ts';
import { type Clock, systemClock } from '../../lib/provenance/clock.ts';

/** The key pair of the endpoints under test. */
export const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a-secret-made-for-this-test' };

/** A new directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'caregate-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Serves a service until the test ends. */
export async function serve(service: Service, options: Partial<EndpointOptions> = {}): Promise<Endpoint> {
  const endpoint = await startEndpoint(service, { credentials, clock: systemClock, ...options });
  onTestFinished(() => endpoint.close());
  return endpoint;
}

/** What an SDK client needs to reach an endpoint. It tries once, so that a test sees each answer. */
export function clientConfig(url: string, maxAttempts = 1) {
  return { endpoint: url, region: 'us-east-1', credentials, maxAttempts };
}

export interface S3Bench {
  readonly url: string;
  readonly client: S3Client;
  readonly directory: string;
}

/** S3 on a directory of its own, with a bucket `case-files` made by the real client. */
export async function startS3(
  options: Partial<S3Options> & { readonly maxAttempts?: number } = {},
): Promise<S3Bench> {
  const { maxAttempts = 1, directory = await temporaryDirectory(), ...rest } = options;
  const clock: Clock = options.clock ?? systemClock;
  const { url } = await serve(await s3Service({ ...rest, directory, clock }), { clock });
  const client = new S3Client({ ...clientConfig(url, maxAttempts), forcePathStyle: true });
  onTestFinished(() => client.destroy());
  return { url, client, directory };
}

/** Does some work for each item, 25 at a time: as many as a client has connections for. */
export async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 25 }, worker));
}
