import type { Randomness } from '../../provenance/randomness.ts';

/** The first 32 of hexadecimal digits in the groups of a UUID, the form of AWS's ids. */
export function uuidForm(digits: string): string {
  const groups = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return groups.map(([from, to]) => digits.slice(from, to)).join('-');
}

/** A new id in the form of a UUID: 128 bits that nobody can guess. */
export function randomUuid(randomness: Randomness): string {
  return uuidForm(Buffer.from(randomness.bytes(16)).toString('hex'));
}
