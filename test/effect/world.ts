import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CreateBucketCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { ObjectStore } from '../../lib/casefile/store.ts';
import type { EffectContext } from '../../lib/effect/context.ts';
import { s3Service } from '../../lib/local/endpoints/s3.ts';
import type { PutFault } from '../../lib/local/endpoints/s3-put.ts';
import { startEndpoint } from '../../lib/local/endpoints/server.ts';
import { type SendFault, sesService } from '../../lib/local/endpoints/ses.ts';
import { type Clearance, clear } from '../../lib/policy/clearance.ts';
import type { Consent } from '../../lib/policy/consent.ts';
import { gate } from '../../lib/policy/gate.ts';
import { type CompiledPolicy, compilePolicy } from '../../lib/policy/rules.ts';
import { type Call, callDigest } from '../../lib/proposal/call.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import type { ApprovalId } from '../../lib/provenance/identifiers.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { readOutbox } from '../support/outbox.ts';
import { circle } from './calls.ts';
import { preparing } from './preparing.ts';

export const credentials = { accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: 'not a secret, only a test' };
const bucket = 'cases';

export const policy: CompiledPolicy = compilePolicy({
  policy: readFileSync('rules/policy.yaml', 'utf8'),
  constitution: readFileSync('rules/constitution.yaml', 'utf8'),
  circle,
});

/** Where S3 and SES can be reached, for this process or another. */
export interface Endpoints {
  readonly s3: string;
  readonly ses: string;
}

/** The S3 and SES that an effect meets, on disk and by the AWS SDK, and ways to make their answers go wrong. */
export interface World {
  readonly store: ObjectStore;
  readonly endpoints: Endpoints;
  readonly context: (changes?: Partial<EffectContext>) => EffectContext;
  readonly outbox: () => ReturnType<typeof readOutbox>;
  /** Asked before each put, by its key. */
  putFault: ((key: string) => PutFault | undefined) | undefined;
  sendFault: (() => SendFault | undefined) | undefined;
  /** Replaces an object as somebody with more rights could. */
  readonly overwrite: (key: string, bytes: string | Uint8Array) => Promise<void>;
  /** Flips the last bit of an object's bytes on disk, beneath everything that would notice a write. */
  readonly damage: (key: string) => Promise<void>;
  /** Another world with the same objects, except that some have other bytes, or are gone, from the very start. */
  readonly fork: (changes?: Readonly<Record<string, string | Uint8Array | undefined>>) => Promise<World>;
  readonly close: () => Promise<void>;
}

export function clientsOf({ s3, ses }: Endpoints, attempts = 3) {
  const shared = { region: 'eu-west-1', credentials, maxAttempts: attempts };
  const client = new S3Client({ ...shared, endpoint: s3, forcePathStyle: true });
  return { client, store: new ObjectStore(client, bucket), ses: new SESClient({ ...shared, endpoint: ses }) };
}

export async function openWorld(): Promise<World> {
  const world = await openDirectory(await mkdtemp(join(tmpdir(), 'caregate-effects-')));
  await world.client.send(new CreateBucketCommand({ Bucket: bucket }));
  return world;
}

async function openDirectory(directory: string): Promise<World & { client: S3Client }> {
  const outbox = join(directory, 'outbox');
  const faults: Pick<World, 'putFault' | 'sendFault'> = { putFault: undefined, sendFault: undefined };
  const s3 = await startEndpoint(
    await s3Service({
      directory: join(directory, 's3'),
      clock: systemClock,
      faults: ({ key }) => faults.putFault?.(key),
    }),
    { credentials, clock: systemClock },
  );
  const ses = await startEndpoint(
    await sesService({
      outbox,
      clock: systemClock,
      randomness: systemRandomness,
      identities: ['inbox.example'],
      faults: () => faults.sendFault?.(),
    }),
    { credentials, clock: systemClock },
  );
  const endpoints = { s3: s3.url, ses: ses.url };
  const { client, ...clients } = clientsOf(endpoints);
  return Object.assign(faults, {
    client,
    store: clients.store,
    endpoints,
    context: (changes: Partial<EffectContext> = {}) => preparing({ ...clients, ...changes }),
    outbox: () => readOutbox(outbox),
    overwrite: async (key: string, bytes: string | Uint8Array) => {
      const ETag = (await client.send(new PutObjectCommand(await replacement(client, key, bytes)))).ETag;
      if (ETag === undefined) throw new RangeError(`${key} was not replaced`);
    },
    damage: async (key: string) => {
      const file = join(directory, 's3', bucket, `${sha256(key)}.1`);
      const bytes = await readFile(file);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      await writeFile(file, bytes);
    },
    fork: async (changes: Readonly<Record<string, string | Uint8Array | undefined>> = {}) => {
      const copy = await mkdtemp(join(tmpdir(), 'caregate-effects-'));
      const changed = new Set(Object.keys(changes).map((key) => `${sha256(key)}.1`));
      await cp(directory, copy, { recursive: true, filter: (path) => !changed.has(basename(path)) });
      const forked = await openDirectory(copy);
      for (const [key, bytes] of Object.entries(changes)) {
        if (bytes !== undefined) await forked.store.create(key, bytes);
      }
      return forked;
    },
    close: async () => {
      await Promise.all([s3.close(), ses.close()]);
      await rm(directory, { recursive: true });
    },
  });
}

async function replacement(client: S3Client, key: string, bytes: string | Uint8Array) {
  const { ETag } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  return { Bucket: bucket, Key: key, Body: bytes, IfMatch: ETag };
}

/** The consent of a person, as it would be recorded, with a signature that nobody checks here. */
export function consentTo(call: Call, person = 'maya'): Consent {
  return {
    approval: 'AAAAAAAAAAAAAAAAAAAAAA' as ApprovalId,
    callDigest: callDigest(call),
    person,
    link: `signed-for-${person}`,
    decidedAt: '2027-02-01T08:59:00.000Z',
  };
}

/** A clearance from the shipped rules; a call that needs a person has the owner's consent. */
export function cleared(call: Call): Promise<Clearance> {
  const decision = gate(policy, {
    call,
    category: 'referral',
    standing: 'accepted',
    now: Date.parse('2027-02-01T09:00:00Z'),
  });
  return clear({ call, decision, circle, consents: [consentTo(call)], verify: async () => true });
}
