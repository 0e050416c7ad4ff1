import { CaregateError } from '../errors.ts';

const integerTag = 0x02;
const sequenceTag = 0x30;
/** The length of r and of s on P-256, in bytes. */
const size = 32;

/**
 * Turns an ECDSA signature of P-256 from DER, the form in which KMS gives it, into r‖s, the form of a JWS
 * (RFC 7518, 3.4).
 * @throws CaregateError `INVALID_INPUT` if the bytes are not exactly one DER sequence of two integers
 */
export function rawSignature(der: Uint8Array): Uint8Array {
  if (der[0] !== sequenceTag || der[1] !== der.length - 2) throw malformed();
  const r = integerAt(der, 2);
  const s = integerAt(der, r.end);
  if (s.end !== der.length) throw malformed();
  const raw = new Uint8Array(2 * size);
  raw.set(r.digits, size - r.digits.length);
  raw.set(s.digits, 2 * size - s.digits.length);
  return raw;
}

function integerAt(der: Uint8Array, at: number): { digits: Uint8Array; end: number } {
  const length = der[at + 1];
  if (der[at] !== integerTag || length === undefined || length === 0) throw malformed();
  const end = at + 2 + length;
  let digits = der.subarray(at + 2, end);
  if (digits.length !== length) throw malformed();
  // DER puts a zero before a number whose first bit is set, so that it does not read as negative.
  if (digits[0] === 0 && digits.length > 1) digits = digits.subarray(1);
  if (digits.length > size) throw malformed();
  return { digits, end };
}

function malformed(): CaregateError {
  return new CaregateError('INVALID_INPUT', '`signature` is not an ECDSA signature in DER; check the key');
}
