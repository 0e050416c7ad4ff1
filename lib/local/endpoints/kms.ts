import { p256 } from '@noble/curves/nist.js';
import * as z from 'zod';
import { sha256 } from '../../provenance/digest.ts';
import { type Randomness, systemRandomness } from '../../provenance/randomness.ts';
import { ServiceFault } from './fault.ts';
import { type SigningKey, signingKey } from './kms-key.ts';
import type { Service, ServiceRequest } from './service.ts';
import { uuidForm } from './uuid.ts';

export interface KmsOptions {
  /** The file that holds the key, mode 0600; made with a new key if there is none. */
  readonly keyFile: string;
  readonly randomness?: Randomness;
}

/** The name that the key has beside its id and its ARN. */
export const signingKeyAlias = 'alias/caregate';

const signRequest = z.object({
  KeyId: z.string(),
  Message: z.base64(),
  MessageType: z.enum(['RAW', 'DIGEST']).default('RAW'),
  SigningAlgorithm: z.string(),
});
const keyRequest = z.object({ KeyId: z.string() });
const algorithm = 'ECDSA_SHA_256';
const rawLimit = 4096;

/**
 * KMS with one key, ECC_NIST_P256 for SIGN_VERIFY: Sign, GetPublicKey and DescribeKey. A signature is DER, as from KMS.
 * @throws CaregateError `CONFIGURATION_INVALID` if the key file cannot be used
 */
export async function kmsService({ keyFile, randomness = systemRandomness }: KmsOptions): Promise<Service> {
  const key = await signingKey(keyFile, randomness);
  const id = keyId(key);
  return {
    name: 'kms',
    handle: async (request) => ({
      status: 200,
      headers: { 'content-type': 'application/x-amz-json-1.1' },
      body: JSON.stringify(perform(request, key, id)),
    }),
  };
}

function perform(request: ServiceRequest, key: SigningKey, id: string): Record<string, unknown> {
  const input = parseJson(request.body);
  switch (request.headers['x-amz-target']) {
    case 'TrentService.Sign':
      return sign(input, key, id);
    case 'TrentService.GetPublicKey':
      checkKey(valid(keyRequest, input).KeyId, id);
      return { ...description(id), PublicKey: key.publicKey.toString('base64') };
    case 'TrentService.DescribeKey':
      checkKey(valid(keyRequest, input).KeyId, id);
      return { KeyMetadata: { ...description(id), ...metadata(id) } };
    default:
      throw new ServiceFault(400, 'UnknownOperationException', 'only Sign, GetPublicKey and DescribeKey');
  }
}

function sign(input: unknown, key: SigningKey, id: string): Record<string, unknown> {
  const { KeyId, Message, MessageType, SigningAlgorithm } = valid(signRequest, input);
  checkKey(KeyId, id);
  if (SigningAlgorithm !== algorithm) throw invalid(`the key signs by ${algorithm} only`);
  const message = Buffer.from(Message, 'base64');
  if (MessageType === 'DIGEST' && message.length !== 32) throw invalid('a digest has 32 bytes');
  if (message.length === 0 || message.length > rawLimit)
    throw invalid(`a message has 1 to ${rawLimit} bytes`);
  // Node's own signer hashes whatever it is given; a DIGEST is signed as it is.
  const signature = p256.sign(message, key.secret, { prehash: MessageType === 'RAW', format: 'der' });
  return {
    KeyId: arn(id),
    Signature: Buffer.from(signature).toString('base64'),
    SigningAlgorithm: algorithm,
  };
}

function description(id: string): Record<string, unknown> {
  return {
    KeyId: arn(id),
    KeySpec: 'ECC_NIST_P256',
    CustomerMasterKeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    SigningAlgorithms: [algorithm],
  };
}

function metadata(id: string): Record<string, unknown> {
  return {
    KeyId: id,
    Arn: arn(id),
    Enabled: true,
    KeyState: 'Enabled',
    KeyManager: 'CUSTOMER',
    Origin: 'AWS_KMS',
  };
}

/** The id says which key it is, so that a new key is not taken for the old one. */
function keyId(key: SigningKey): string {
  return uuidForm(sha256(key.publicKey));
}

function arn(id: string): string {
  return `arn:aws:kms:us-east-1:000000000000:key/${id}`;
}

function checkKey(named: string, id: string): void {
  const aliasArn = `arn:aws:kms:us-east-1:000000000000:${signingKeyAlias}`;
  if (![id, arn(id), signingKeyAlias, aliasArn].includes(named)) {
    throw new ServiceFault(400, 'NotFoundException', `the key here is \`${signingKeyAlias}\``);
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new ServiceFault(400, 'SerializationException', 'the request is not JSON');
  }
}

function valid<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (!result.success) throw invalid('a required member is missing or has another form');
  return result.data;
}

function invalid(message: string): ServiceFault {
  return new ServiceFault(400, 'ValidationException', message);
}
