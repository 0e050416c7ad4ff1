import type { KeyObject } from 'node:crypto';
import { KMSClient } from '@aws-sdk/client-kms';
import { fetchPublicKey } from '../../lib/approval/link.ts';
import { type Part, part } from './part.ts';

/** The key that approval links are signed with. */
export const signer = part((source) => ({
  kms: new KMSClient(),
  keyId: source.setting('CAREGATE_SIGNING_KEY'),
}));

/** Its public half, fetched once: links are verified offline ever after. */
export const verificationKey = part((source) => fetchPublicKey(signer(source)));

/** The same, fetched only when a page needs it. */
export const publicKey: Part<() => Promise<KeyObject>> = (source) => () => verificationKey(source);
