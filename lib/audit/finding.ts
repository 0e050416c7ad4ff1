import type { Sha256 } from '../provenance/digest.ts';

/** Everything that an audit can find, with what it means. Callers switch on the code. */
export const findingCodes = {
  CASE_MISSING: 'the case object is not there',
  CASE_MISMATCH: 'the case object is about another case, circle or message',
  RECORD_UNREADABLE: 'a record does not have the form of its kind',
  POINTER_BROKEN: 'a pointer names an object that is not there, or that has another digest',
  MESSAGE_MISMATCH: 'the bytes of the mail are not the message that the case is about',
  DOCUMENT_ALTERED: 'the bytes of a document do not have the digest that it is named by',
  DOCUMENT_MISSING: 'a document that the evidence names is not there',
  HISTORY_MISMATCH: 'the execution history says something else than the case file',
  POLICY_MISSING: 'the policy that a decision was made with is not there, or cannot be used',
  POLICY_MISMATCH: 'the recorded policy does not have the digest that it is named by',
  CALL_MISMATCH: 'proposal, evidence and circle do not give the call that was decided on',
  DECISION_MISMATCH: 'the recorded policy decides otherwise on the recorded call',
  CONSENT_INVALID: 'a consent is not signed, not for this call, or not by a person who may give it',
  EFFECT_UNAUTHORIZED: 'an effect was intended without an ALLOW and without enough consents',
  INTENT_MISMATCH: 'an intent is not the one that the call leads to',
  EFFECT_MISSING: 'an effect that was verified is not there',
  EFFECT_ALTERED: 'an effect does not have the bytes that were intended',
  EFFECT_MISMATCH: 'an effect does not say what its call says',
  EFFECT_UNCLAIMED: 'something lies in a folder of effects that no intent names',
  LETTER_MISMATCH: 'the records of how a letter was sent do not belong to its intent',
  RECEIPT_MISSING: 'an action ended verified or sent, and has no receipt that says so',
  RECEIPT_MISMATCH: 'a receipt does not belong to the intent, or not to what is there',
  RECEIPT_CHAIN_BROKEN: 'a receipt is missing, or does not name the digest of the one before',
  OUTCOME_MISMATCH: 'a closing says something else than the outcome of an action',
  OBJECT_DAMAGED: 'an object does not give the bytes that were stored under its checksum',
  OBJECT_OVERWRITTEN: 'an object that is created once has a second version, or was deleted',
} as const;
export type FindingCode = keyof typeof findingCodes;

/** One thing that does not agree. The key names the object; nothing of its content is repeated. */
export interface AuditFinding {
  readonly code: FindingCode;
  readonly key: string;
  readonly action?: number | undefined;
  readonly expected?: Sha256 | undefined;
  readonly found?: Sha256 | undefined;
}
