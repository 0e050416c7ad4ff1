import { createHash } from 'node:crypto';
import { CaregateError } from '../errors.ts';
import { canonicalJson } from './canonical.ts';

declare const sha256Brand: unique symbol;

/** A SHA-256 digest as 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly [sha256Brand]: true };

/** The digest of bytes, or of a text's UTF-8 bytes. */
export function sha256(bytes: Uint8Array | string): Sha256 {
  return createHash('sha256').update(bytes).digest('hex') as Sha256;
}

/** The digest of a value's canonical JSON (RFC 8785). */
export function digestOf(value: unknown): Sha256 {
  return sha256(canonicalJson(value));
}

/**
 * Reads a digest from outside.
 * @throws CaregateError `INVALID_INPUT` if it is not 64 hexadecimal digits
 */
export function parseSha256(text: string): Sha256 {
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`digest` is not 64 lower-case hexadecimal digits; copy it whole',
    );
  }
  return text as Sha256;
}

/** The same digest as base64, the form in which S3 takes and returns checksums. */
export function base64Digest(digest: Sha256): string {
  return Buffer.from(digest, 'hex').toString('base64');
}
