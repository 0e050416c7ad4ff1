import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DescribeKeyCommand,
  EncryptCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
  type SignCommandInput,
} from '@aws-sdk/client-kms';
import fc from 'fast-check';
import { compactVerify, importSPKI } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kmsService, signingKeyAlias } from '../../lib/local/endpoints/kms.ts';
import { clientConfig, serve, temporaryDirectory } from '../support/endpoints.ts';
import { seededRandomness } from '../support/time.ts';

async function start(keyFile?: string) {
  const file = keyFile ?? join(await temporaryDirectory(), 'signing-key.pem');
  const { url } = await serve(await kmsService({ keyFile: file }));
  const client = new KMSClient(clientConfig(url));
  onTestFinished(() => client.destroy());
  const { PublicKey = new Uint8Array(), KeyId = '' } = await client.send(
    new GetPublicKeyCommand({ KeyId: signingKeyAlias }),
  );
  const publicKey = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  return { client, publicKey, KeyId, file };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

async function sign(client: KMSClient, Message: Uint8Array, more: Partial<SignCommandInput> = {}) {
  const input = { KeyId: signingKeyAlias, SigningAlgorithm: 'ECDSA_SHA_256' as const, ...more };
  const { Signature = new Uint8Array() } = await client.send(new SignCommand({ Message, ...input }));
  return Signature;
}

/** DER (two integers in a sequence) as the fixed-width pair that a JWS has. */
function joseSignature(der: Uint8Array): Buffer {
  const integer = (at: number) => {
    const length = der[at + 1] ?? 0;
    const digits = Buffer.from(der.subarray(at + 2, at + 2 + length))
      .toString('hex')
      .replace(/^00/, '');
    return { hex: digits.padStart(64, '0'), end: at + 2 + length };
  };
  const r = integer(2);
  return Buffer.from(r.hex + integer(r.end).hex, 'hex');
}

describe('Sign', () => {
  it('signs a digest as it is, verified by node:crypto over the text', async () => {
    const { client, publicKey } = await start();
    const signature = await sign(client, digestOf('a text'), { MessageType: 'DIGEST' });
    expect(verify('sha256', Buffer.from('a text'), publicKey, signature)).toBe(true);
    expect(verify('sha256', Buffer.from('another'), publicKey, signature)).toBe(false);
  });

  it('hashes a raw message itself, which is what it does if nothing is said', async () => {
    const { client, publicKey } = await start();
    for (const more of [{ MessageType: 'RAW' as const }, {}]) {
      const signature = await sign(client, Buffer.from('a text'), more);
      expect(verify('sha256', Buffer.from('a text'), publicKey, signature)).toBe(true);
    }
  });

  it('makes a compact JWS that jose verifies', async () => {
    const { client, publicKey } = await start();
    const input = [{ alg: 'ES256' }, { approval: 'a1' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const der = await sign(client, digestOf(input), { MessageType: 'DIGEST' });
    const jws = `${input}.${joseSignature(der).toString('base64url')}`;
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    const { payload } = await compactVerify(jws, await importSPKI(pem, 'ES256'));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ approval: 'a1' });
  });

  it('verifies for any message', async () => {
    const { client, publicKey } = await start();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 4096 }), async (message) => {
        const signature = await sign(client, message);
        expect(verify('sha256', message, publicKey, signature)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('refuses another algorithm, a digest of another length, and what is too long', async () => {
    const { client } = await start();
    const refused = await Promise.allSettled([
      sign(client, digestOf('x'), { SigningAlgorithm: 'RSASSA_PSS_SHA_256' }),
      sign(client, Buffer.from('short'), { MessageType: 'DIGEST' }),
      sign(client, Buffer.alloc(4097)),
      sign(client, digestOf('x'), { MessageType: 'EXTERNAL_MU' }),
    ]);
    for (const each of refused) {
      expect(each).toMatchObject({ status: 'rejected', reason: { name: 'ValidationException' } });
    }
  });
});

describe('the key', () => {
  it('is known by its id, its ARN and its alias, and by no other name', async () => {
    const { client, KeyId } = await start();
    const id = KeyId.slice(KeyId.lastIndexOf('/') + 1);
    const arn = KeyId.replace(/key\/.*/, signingKeyAlias);
    for (const name of [KeyId, id, signingKeyAlias, arn]) {
      const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: name }));
      expect(KeyMetadata).toMatchObject({ Arn: KeyId, KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
    }
    for (const name of ['alias/other', id.slice(1)]) {
      await expect(client.send(new DescribeKeyCommand({ KeyId: name }))).rejects.toMatchObject({
        name: 'NotFoundException',
      });
    }
  });

  it('does nothing but sign and be described', async () => {
    const { client } = await start();
    const encrypted = client.send(
      new EncryptCommand({ KeyId: signingKeyAlias, Plaintext: Buffer.from('x') }),
    );
    await expect(encrypted).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });

  it('stays the same when the office starts again', async () => {
    const first = await start();
    const second = await start(first.file);
    expect(second.KeyId).toBe(first.KeyId);
    const signature = await sign(first.client, Buffer.from('x'));
    expect(verify('sha256', Buffer.from('x'), second.publicKey, signature)).toBe(true);
  });

  it('is one even where two offices start at once', async () => {
    const file = join(await temporaryDirectory(), 'key.pem');
    const [first, second] = await Promise.all([start(file), start(file)]);
    expect(first.KeyId).toBe(second.KeyId);
  });

  it('lies in a file that only its owner may read', async () => {
    const { file } = await start();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain('BEGIN PRIVATE KEY');
  });

  it.skipIf(process.platform === 'win32')('is refused if others may read its file', async () => {
    const { file } = await start();
    for (const mode of [0o640, 0o604, 0o660]) {
      await chmod(file, mode);
      await expect(kmsService({ keyFile: file })).toFailWithCode('CONFIGURATION_INVALID');
    }
    await expect(kmsService({ keyFile: file })).rejects.toThrow(file);
  });

  it('is refused if its file holds anything else', async () => {
    const directory = await temporaryDirectory();
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
    const ed25519 = generateKeyPairSync('ed25519').privateKey;
    const pem = { format: 'pem', type: 'pkcs8' } as const;
    for (const [index, text] of ['', 'nonsense', p384.export(pem), ed25519.export(pem)].entries()) {
      const file = join(directory, `${index}.pem`);
      await writeFile(file, text, { mode: 0o600 });
      await expect(kmsService({ keyFile: file })).toFailWithCode('CONFIGURATION_INVALID');
    }
    await expect(kmsService({ keyFile: directory })).toFailWithCode('CONFIGURATION_INVALID');
  });

  it('comes from the randomness that is passed in', async () => {
    const directory = await temporaryDirectory();
    const pem = async (name: string, seed: number) => {
      const keyFile = join(directory, name);
      await kmsService({ keyFile, randomness: seededRandomness(seed) });
      return readFile(keyFile, 'utf8');
    };
    expect(await pem('a', 1)).toBe(await pem('b', 1));
    expect(await pem('c', 2)).not.toBe(await pem('d', 1));
  });
});
