import type { ConsentVerifier } from '../../lib/policy/consent.ts';
import { type Part, part } from './part.ts';

const verifier = part(async (source) => {
  const { verificationKey } = await import('./signing.ts');
  const { consentVerifier } = await import('../../lib/approval/verify.ts');
  return consentVerifier(await verificationKey(source));
});

/** Verifies consents, offline. Most calls have none: the key, and what checks signatures, come with the first. */
export const verifyConsent: Part<ConsentVerifier> = (source) => async (consent) =>
  (await verifier(source))(consent);
