import type { KeyObject } from 'node:crypto';
import { isCaregateError } from '../errors.ts';
import type { Consent, ConsentVerifier } from '../policy/consent.ts';
import { type LinkClaims, openLink } from './link.ts';

type Check = (consent: Consent, claims: LinkClaims) => boolean;

/** What a consent's link has to say for the consent to count, in this order, after its signature was checked. */
const checks = {
  purpose: (_, claims) => claims.purpose === 'approve',
  approval: (consent, claims) => claims.approval === consent.approval,
  callDigest: (consent, claims) => claims.callDigest === consent.callDigest,
  person: (consent, claims) => claims.person === consent.person,
  decidedInTime: (consent, claims) => Date.parse(consent.decidedAt) < Date.parse(claims.expires),
} satisfies Record<string, Check>;

export type ConsentCheck = 'signature' | keyof typeof checks;

/** The first check that a consent fails, or nothing if it holds. */
export async function failedCheck(consent: Consent, publicKey: KeyObject): Promise<ConsentCheck | undefined> {
  const claims = await signedClaims(consent, publicKey);
  if (claims === undefined) return 'signature';
  for (const [name, check] of Object.entries(checks)) {
    if (!check(consent, claims)) return name as keyof typeof checks;
  }
  return undefined;
}

/** The verifier that the gate is given: offline, with the public half of the key that links are signed with. */
export function consentVerifier(publicKey: KeyObject): ConsentVerifier {
  return async (consent) => (await failedCheck(consent, publicKey)) === undefined;
}

async function signedClaims(consent: Consent, publicKey: KeyObject): Promise<LinkClaims | undefined> {
  try {
    return await openLink(consent.link, publicKey);
  } catch (error) {
    if (isCaregateError(error, 'APPROVAL_LINK_INVALID')) return undefined;
    throw error;
  }
}
