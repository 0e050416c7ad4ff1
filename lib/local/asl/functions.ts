import { createHash } from 'node:crypto';
import type { Clock } from '../../provenance/clock.ts';
import type { Randomness } from '../../provenance/randomness.ts';

/** What expressions need from outside. */
export interface Surroundings {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** One function of AWS's dialect: how JSONata checks its arguments, and what it does. */
export interface DialectFunction {
  /** JSONata's signature text. */
  readonly signature: string;
  implement(surroundings: Surroundings): (...values: never[]) => unknown;
}

const algorithms = new Set(['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']);

/** `$partition`, `$range` and their like: https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html */
export const dialectFunctions: Readonly<Record<string, DialectFunction>> = {
  partition: {
    signature: '<an:a>',
    implement: () => (items: unknown[], size: number) => {
      if (!Number.isInteger(size) || size < 1)
        throw new DialectError('the chunk size must be a positive integer');
      return Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
        items.slice(chunk * size, (chunk + 1) * size),
      );
    },
  },
  range: {
    signature: '<nnn:a>',
    implement: () => (first: number, last: number, step: number) => {
      if (step === 0) throw new DialectError('the step of a range must not be 0');
      const length = Math.max(0, Math.floor((last - first) / step) + 1);
      if (length > 1000) throw new DialectError('a range has at most 1000 members');
      return Array.from({ length }, (_, index) => first + index * step);
    },
  },
  hash: {
    signature: '<ss:s>',
    implement: () => (text: string, algorithm: string) => {
      if (!algorithms.has(algorithm))
        throw new DialectError(`the hash algorithm ${algorithm} is not supported`);
      return createHash(algorithm.replace('-', '').toLowerCase()).update(text).digest('hex');
    },
  },
  random: {
    signature: '<n?:n>',
    implement:
      ({ randomness }) =>
      (seed?: number) =>
        seed === undefined ? uniform(randomness) : seeded(seed),
  },
  uuid: {
    signature: '<:s>',
    implement:
      ({ randomness }) =>
      () =>
        uuid(randomness),
  },
  parse: {
    signature: '<s:x>',
    implement: () => (text: string) => {
      try {
        return JSON.parse(text);
      } catch {
        throw new DialectError('the text to parse is not JSON');
      }
    },
  },
  millis: { signature: '<:n>', implement: ({ clock }) => clock.now.bind(clock) },
};

/** What a function of the dialect throws. It has no code: JSONata would put its own message in place of ours. */
export class DialectError extends Error {}

/** A random number in [0, 1) of 48 bits. */
export function uniform(randomness: Randomness): number {
  return Buffer.from(randomness.bytes(6)).readUIntBE(0, 6) / 2 ** 48;
}

/** Always the same number in [0, 1) for the same seed. */
function seeded(seed: number): number {
  return createHash('sha256').update(String(seed)).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** A UUID of version 4 (RFC 9562). */
function uuid(randomness: Randomness): string {
  const bytes = Buffer.from(randomness.bytes(16));
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x40, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
