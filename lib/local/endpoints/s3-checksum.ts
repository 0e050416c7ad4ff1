import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ServiceFault } from './fault.ts';

/** The checksums that are verified, kept and echoed, by the end of their header's name `x-amz-checksum-…`. */
export const checksumAlgorithms = ['crc32', 'sha1', 'sha256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];
export type Checksums = Readonly<Partial<Record<ChecksumAlgorithm, string>>>;

const prefix = 'x-amz-checksum-';

/**
 * Verifies every checksum that a request carries for its body.
 * @returns those to keep with the object
 * @throws ServiceFault `BadDigest` where one is not the body's, `NotImplemented` for an algorithm that is not served
 */
export function verifyChecksums(headers: Readonly<Record<string, string>>, body: Uint8Array): Checksums {
  const md5 = headers['content-md5'];
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) throw badDigest('md5');
  const kept: Partial<Record<ChecksumAlgorithm, string>> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(prefix) || name === `${prefix}mode` || name === `${prefix}type`) continue;
    const algorithm = knownAlgorithm(name.slice(prefix.length));
    if (value !== checksum(algorithm, body)) throw badDigest(algorithm);
    kept[algorithm] = value;
  }
  return kept;
}

/** The checksums as response headers. */
export function checksumHeaders(checksums: Checksums): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const algorithm of checksumAlgorithms) {
    const value = checksums[algorithm];
    if (value !== undefined) headers[prefix + algorithm] = value;
  }
  return Object.keys(headers).length === 0 ? headers : { ...headers, 'x-amz-checksum-type': 'FULL_OBJECT' };
}

function checksum(algorithm: ChecksumAlgorithm, body: Uint8Array): string {
  if (algorithm !== 'crc32') return createHash(algorithm).update(body).digest('base64');
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64');
}

function knownAlgorithm(name: string): ChecksumAlgorithm {
  const known = checksumAlgorithms.find((algorithm) => algorithm === name);
  if (known !== undefined) return known;
  throw new ServiceFault(
    501,
    'NotImplemented',
    `checksum \`${name}\` is not served here; use sha256 or crc32`,
  );
}

function badDigest(algorithm: string): ServiceFault {
  return new ServiceFault(400, 'BadDigest', `the ${algorithm} checksum is not the body's; send it again`);
}
