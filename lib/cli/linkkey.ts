import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CaregateError } from '../errors.ts';

/** The public half of the key that links of this office are signed with, to verify consents offline. */
export function openLinkKey(outbox: string): KeyObject {
  const file = join(dirname(outbox), 'signing-key.pem');
  try {
    return createPublicKey(readFileSync(file));
  } catch (cause) {
    throw new CaregateError(
      'DATA_DIRECTORY_INVALID',
      `signing key \`${file}\` cannot be read; restore it from a backup`,
      {
        cause,
      },
    );
  }
}
