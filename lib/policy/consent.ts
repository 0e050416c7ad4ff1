import * as z from 'zod';
import type { Sha256 } from '../provenance/digest.ts';
import type { ApprovalId } from '../provenance/identifiers.ts';
import { approvalIdPattern } from '../provenance/identifiers.ts';

/** One named person's approval of one call digest, as it is recorded. */
export const consentSchema = z.strictObject({
  approval: z
    .string()
    .regex(approvalIdPattern)
    .transform((text) => text as ApprovalId),
  callDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .transform((text) => text as Sha256),
  /** The id of a person of the circle. */
  person: z.string(),
  /** The compact JWS of the link that the person followed: proof that it was issued for this call and person. */
  link: z.string().max(4096),
  decidedAt: z.iso.datetime(),
});

/** It mints no fact and raises no trust. */
export type Consent = z.infer<typeof consentSchema>;

/**
 * Says whether the signature of a consent's link holds, and whether it names this approval, call digest and person
 * and had not expired when it was decided. Passed in, since the policy itself does no I/O and knows no keys.
 */
export type ConsentVerifier = (consent: Consent) => Promise<boolean>;
