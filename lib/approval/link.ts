import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { compactVerify } from 'jose';
import * as z from 'zod';
import { approvalIdSchema, sha256Schema } from '../casefile/schemas.ts';
import { CaregateError, isCaregateError } from '../errors.ts';
import { canonicalJson } from '../provenance/canonical.ts';
import { rawSignature } from './signature.ts';

export const linkPurposes = ['approve', 'answer', 'release'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

const claimsSchema = z.strictObject({
  approval: approvalIdSchema,
  callDigest: sha256Schema,
  /** The id of a person of the circle. */
  person: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  purpose: z.enum(linkPurposes),
  /** When the link ends: an ISO instant. */
  expires: z.iso.datetime(),
});

/** What a link says, and all that it says: no code, no content, no address. */
export type LinkClaims = z.infer<typeof claimsSchema>;

/** The key that links are signed with, by KMS. */
export interface LinkSigner {
  readonly kms: KMSClient;
  readonly keyId: string;
}

const type = 'caregate-link';
const headerSchema = z.strictObject({ alg: z.literal('ES256'), typ: z.literal(type) });
const header = encode(canonicalJson({ alg: 'ES256', typ: type }));

/** Longer than any link that is issued; what is longer is not looked at. */
export const longestLink = 1024;

/**
 * Signs a link: a compact JWS (RFC 7515) with ES256, base64url only, so that mail programs leave it as it is.
 * KMS is handed the digest and not the content.
 */
export async function issueLink(request: LinkSigner & { readonly claims: LinkClaims }): Promise<string> {
  const signed = `${header}.${encode(canonicalJson(claimsSchema.parse(request.claims)))}`;
  const answer = await request.kms.send(
    new SignCommand({
      KeyId: request.keyId,
      Message: createHash('sha256').update(signed).digest(),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    }),
  );
  return `${signed}.${encode(rawSignature(answer.Signature ?? new Uint8Array()))}`;
}

/** The address of a link's page. */
export function linkUrl(publicUrl: string, link: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/a/${link}`;
}

/** The public half of the key: asked for once, so that links are verified offline ever after. */
export async function fetchPublicKey({ kms, keyId }: LinkSigner): Promise<KeyObject> {
  const answer = await kms.send(new GetPublicKeyCommand({ KeyId: keyId }));
  return createPublicKey({
    key: Buffer.from(answer.PublicKey ?? new Uint8Array()),
    format: 'der',
    type: 'spki',
  });
}

/**
 * Verifies a link offline and gives what it says.
 * @param jws attacker-controlled
 * @param now milliseconds since the epoch; a link that ends at this instant has ended
 * @throws CaregateError `APPROVAL_LINK_INVALID`
 */
export async function verifyLink(jws: string, publicKey: KeyObject, now: number): Promise<LinkClaims> {
  const claims = await openLink(jws, publicKey);
  if (Date.parse(claims.expires) <= now) throw invalid('has expired; ask for a new one');
  return claims;
}

/** The same, for a link that may have expired: a page still says what became of it. */
export async function openLink(jws: string, publicKey: KeyObject): Promise<LinkClaims> {
  try {
    requireCanonical(jws);
    const { payload, protectedHeader } = await compactVerify(jws, publicKey, { algorithms: ['ES256'] });
    headerSchema.parse(protectedHeader);
    return claimsSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)));
  } catch (error) {
    if (isCaregateError(error, 'APPROVAL_LINK_INVALID')) throw error;
    throw invalid('is not one that was issued here; open it from the newest mail', error);
  }
}

/**
 * Base64url leaves bits of a last character unused, and decoders ignore them: without this check several texts
 * would be the same link.
 */
function requireCanonical(jws: string): void {
  const parts = jws.split('.');
  const canonical = parts.every((part) => encode(Buffer.from(part, 'base64url')) === part);
  if (jws.length > longestLink || parts.length !== 3 || !canonical) {
    throw invalid('is not whole; open it from the mail instead of copying it');
  }
}

function encode(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url');
}

function invalid(what: string, cause?: unknown): CaregateError {
  return new CaregateError('APPROVAL_LINK_INVALID', `\`link\` ${what}`, { cause });
}
