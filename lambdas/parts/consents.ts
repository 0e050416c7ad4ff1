import { consentVerifier } from '../../lib/approval/verify.ts';
import { part } from './part.ts';
import { verificationKey } from './signing.ts';

/** Verifies consents, offline. */
export const verifyConsent = part(async (source) => consentVerifier(await verificationKey(source)));
