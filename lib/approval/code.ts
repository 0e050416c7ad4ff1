import { scryptSync, timingSafeEqual } from 'node:crypto';
import { CaregateError } from '../errors.ts';
import { type Randomness, randomDigits, randomToken } from '../provenance/randomness.ts';

const digits = 6;
/** scrypt's cost (RFC 7914): about 30 ms and 16 MiB a code. */
const cost = { N: 16_384, r: 8, p: 1 } as const;

/** A new code of six digits. It stands in the text of one mail and nowhere else. */
export function newCode(randomness: Randomness): string {
  return randomDigits(randomness, digits);
}

/** A salt for the codes of one person of one approval. */
export function newSalt(randomness: Randomness): string {
  return randomToken(randomness, 128);
}

/** What is kept of a code. */
export function codeHash(code: string, salt: string): string {
  return scryptSync(code, Buffer.from(salt, 'base64url'), 32, cost).toString('base64url');
}

/**
 * Reads a code as a person types it: blanks and hyphens between the digits do not matter.
 * @throws CaregateError `INVALID_INPUT` if it is not six digits; such a code is not counted as a wrong one
 */
export function parseCode(text: string): string {
  const code = text.replace(/[\s\u00a0-]/g, '');
  if (!/^[0-9]{6}$/.test(code)) {
    throw new CaregateError('INVALID_INPUT', '`code` is not six digits; copy it from the newest mail');
  }
  return code;
}

/** The hash among `hashes` that `code` has, compared in a time that does not depend on them. */
export function matchingHash(code: string, salt: string, hashes: readonly string[]): string | undefined {
  const typed = Buffer.from(codeHash(code, salt), 'base64url');
  let match: string | undefined;
  for (const hash of hashes) {
    const kept = Buffer.from(hash, 'base64url');
    if (kept.length === typed.length && timingSafeEqual(kept, typed)) match = hash;
  }
  return match;
}
