import { randomBytes } from 'node:crypto';

/** Where randomness comes from. Injected, so that a test can name the bytes. */
export interface Randomness {
  /** `size` bytes that nobody can guess. */
  bytes(size: number): Uint8Array;
}

/** The operating system's randomness: the only place that reads it. */
export const systemRandomness: Randomness = { bytes: (size) => new Uint8Array(randomBytes(size)) };

/** `bits` of randomness as base64url, which survives mail programs and URLs. */
export function randomToken(randomness: Randomness, bits = 128): string {
  return Buffer.from(randomness.bytes(Math.ceil(bits / 8))).toString('base64url');
}

/** A decimal code of `digits` digits, uniform: bytes that would bias it are drawn again. */
export function randomDigits(randomness: Randomness, digits: number): string {
  let code = '';
  while (code.length < digits) {
    for (const byte of randomness.bytes(digits)) {
      if (byte < 250 && code.length < digits) code += String(byte % 10);
    }
  }
  return code;
}
