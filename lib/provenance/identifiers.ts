import { digestOf, type Sha256 } from './digest.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The id of a circle: lower-case words joined by hyphens. */
export type CircleId = Branded<'CircleId'>;
/** The id of a case: `c-` (accepted) or `q-` (quarantined or ignored) and 32 hexadecimal digits. */
export type CaseId = Branded<'CaseId'>;
/** The SHA-256 of a mail's bytes without the trace headers of our own receiver. */
export type MessageId = Sha256;
/** The id of an approval or a question to a person: 128 random bits as base64url. */
export type ApprovalId = Branded<'ApprovalId'>;

export const circleIdPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const caseIdPattern = /^[cq]-[0-9a-f]{32}$/;
export const approvalIdPattern = /^[A-Za-z0-9_-]{22}$/;

/**
 * The case of one message of one circle. A delivery that was not admitted has an id of its own, so that a
 * quarantined copy never absorbs a later one from a verified sender.
 */
export function caseIdOf(circle: CircleId, message: MessageId, admitted: boolean): CaseId {
  return `${admitted ? 'c' : 'q'}-${digestOf({ circle, message, admitted }).slice(0, 32)}` as CaseId;
}
