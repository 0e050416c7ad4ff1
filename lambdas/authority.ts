import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPublicKey } from '../lib/approval/link.ts';
import { consentVerifier } from '../lib/approval/verify.ts';
import type { ConsentVerifier } from '../lib/policy/consent.ts';
import { type CompiledPolicy, compilePolicy } from '../lib/policy/rules.ts';
import type { Parts } from './parts.ts';

const policies = new WeakMap<Parts, CompiledPolicy>();
const verifiers = new WeakMap<Parts, Promise<ConsentVerifier>>();

/** The policy of this deployment with its circle, compiled once. */
export function currentPolicy(parts: Parts): CompiledPolicy {
  const present = policies.get(parts);
  if (present !== undefined) return present;
  const read = (name: string): string => readFileSync(join(parts.settings.CAREGATE_RULES_DIR, name), 'utf8');
  const policy = compilePolicy({
    policy: read('policy.yaml'),
    constitution: read('constitution.yaml'),
    circle: parts.circle,
  });
  policies.set(parts, policy);
  return policy;
}

/** The policy, and the verifier of consents: the public key is fetched once, and verification is offline. */
export async function currentAuthority(parts: Parts) {
  const verifier = verifiers.get(parts) ?? makeVerifier(parts);
  verifiers.set(parts, verifier);
  verifier.catch(() => verifiers.delete(parts)); // asked for again, instead of failing for ever
  const configurationSet = parts.settings.CAREGATE_CONFIGURATION_SET;
  return { policy: currentPolicy(parts), verifyConsent: await verifier, configurationSet };
}

async function makeVerifier(parts: Parts): Promise<ConsentVerifier> {
  return consentVerifier(
    await fetchPublicKey({ kms: parts.kms, keyId: parts.settings.CAREGATE_SIGNING_KEY }),
  );
}
