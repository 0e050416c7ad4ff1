import { S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { ObjectStore } from '../../lib/casefile/store.ts';
import type { EffectContext } from '../../lib/effect/context.ts';
import type { Sha256 } from '../../lib/provenance/digest.ts';
import { ManualClock, seededRandomness } from '../support/time.ts';
import { caseKey, circle, documents } from './calls.ts';

/** Where no AWS service answers: enough for all that only prepares an effect. */
const nowhere = {
  region: 'eu-west-1',
  endpoint: 'http://127.0.0.1:9',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  maxAttempts: 1,
};

/** A context for the example circle, the invented case and its documents. */
export function preparing(changes: Partial<EffectContext> = {}): EffectContext {
  return {
    store: new ObjectStore(new S3Client(nowhere), 'nowhere'),
    ses: new SESClient(nowhere),
    circle,
    clock: new ManualClock('2027-02-01T09:00:00Z'),
    randomness: seededRandomness(7),
    caseKey,
    document: async (digest: Sha256) => documents.get(digest) ?? new Uint8Array(),
    sender: 'maya',
    attempt: 'attempt-1',
    ...changes,
  };
}
