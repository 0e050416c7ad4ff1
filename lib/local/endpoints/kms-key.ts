import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CaregateError, isCaregateError } from '../../errors.ts';
import { type Randomness, randomToken } from '../../provenance/randomness.ts';
import { nameOnce, syncDirectory, writeSynced } from './durable.ts';

/** A P-256 key: the secret number, and the public key as KMS gives it away. */
export interface SigningKey {
  readonly secret: Uint8Array;
  /** DER of SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
}

/**
 * Reads the key of a file, which only its owner may read; makes the file, with a new key, if there is none.
 * @throws CaregateError `CONFIGURATION_INVALID` if the file is open to others or holds no P-256 key
 */
export async function signingKey(file: string, randomness: Randomness): Promise<SigningKey> {
  try {
    return await readKey(file);
  } catch (error) {
    if (!isCaregateError(error, 'NOT_FOUND')) throw error;
  }
  await createKey(file, randomness);
  return readKey(file);
}

async function readKey(file: string): Promise<SigningKey> {
  let pem: string;
  try {
    const { mode } = await stat(file);
    // Windows has no such bits: there the data directory's own permissions are what protects the key.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw unusable(file, 'may be read by others; run `chmod 600` on it, or make a new one');
    }
    pem = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof CaregateError) throw error;
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (absent) throw new CaregateError('NOT_FOUND', `key file \`${file}\` does not exist`);
    throw unusable(file, 'cannot be read; name a readable file', error);
  }
  return parseKey(pem, file);
}

function parseKey(pem: string, file: string): SigningKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw unusable(file, 'holds no private key; restore it from a backup', error);
  }
  const { d } = key.asymmetricKeyType === 'ec' ? key.export({ format: 'jwk' }) : {};
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1' || d === undefined) {
    throw unusable(file, 'holds another key than one of P-256; restore it from a backup');
  }
  return {
    secret: Buffer.from(d, 'base64url'),
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }),
  };
}

// The file appears whole: of two offices that start at once on one directory, both read the key that came first.
async function createKey(file: string, randomness: Randomness): Promise<void> {
  const temporary = `${file}.${process.pid}.${randomToken(randomness)}.new`;
  try {
    await writeSynced(temporary, newKey(randomness));
    await nameOnce(temporary, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    throw unusable(file, 'cannot be made; name a file in a directory that can be written', error);
  }
}

function newKey(randomness: Randomness): string {
  const pair = createECDH('prime256v1');
  for (;;) {
    const secret = Buffer.from(randomness.bytes(32));
    try {
      pair.setPrivateKey(secret);
    } catch {
      continue; // Zero, or not below the order of the curve: as good as never.
    }
    const point = pair.getPublicKey();
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      d: secret.toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    };
    return createPrivateKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' }) as string;
  }
}

function unusable(file: string, why: string, cause?: unknown): CaregateError {
  return new CaregateError('CONFIGURATION_INVALID', `key file \`${file}\` ${why}`, { cause });
}
