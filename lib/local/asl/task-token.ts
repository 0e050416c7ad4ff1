import { sha256 } from '../../provenance/digest.ts';
import type { Randomness } from '../../provenance/randomness.ts';

/**
 * A token for one attempt of a task: 256 random bits, which are the secret, and a checksum, by which garbage is
 * told apart from a token whose task is over. Base64url, so that it survives URLs.
 */
export function newTaskToken(randomness: Randomness): string {
  const secret = Buffer.from(randomness.bytes(32)).toString('base64url');
  return `${secret}${checksum(secret)}`;
}

/** Whether a token can have come from an engine. Attacker-controlled: says nothing about whether it is valid. */
export function isTaskToken(token: string): boolean {
  const secret = token.slice(0, 43);
  return /^[\w-]{51}$/.test(token) && token === `${secret}${checksum(secret)}`;
}

function checksum(secret: string): string {
  return Buffer.from(sha256(secret).slice(0, 12), 'hex').toString('base64url');
}
