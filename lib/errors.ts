/**
 * Every error code of Caregate, with what it means. Callers switch on the code, never on the message. A code is
 * also the error's name, so that a state machine's `Retry` and `Catch` can match it.
 */
export const errorCodes = {
  INVALID_INPUT: 'a value from outside does not have the form that was asked for',
  CONFIGURATION_INVALID: 'a configuration file or setting cannot be used',
  CIRCLE_UNKNOWN: 'something names a circle that this deployment does not have',
  NOT_FOUND: 'the named thing does not exist',
  CANONICAL_UNSUPPORTED: 'a value has no canonical JSON form',
  DIGEST_MISMATCH: 'bytes that were read do not have the digest that was recorded',
  CREATE_CONFLICT: 'a create-once object exists already with other bytes',
  STORE_UNAVAILABLE: 'the object store did not answer, or refused',
  TRUST_REFUSED: 'something tried to raise a trust that cannot be raised',
  CLEARANCE_REFUSED: 'an effect was called without a clearance from the gate',
  MAIL_UNREADABLE: 'the bytes are not a mail that can be read',
  MAIL_TOO_LARGE: 'a mail is larger than the inbox takes',
  LETTER_TOO_LARGE: 'a letter would be larger than the mail service takes',
  LETTER_REJECTED: 'the mail service refused a letter; nothing was sent',
  MODEL_NO_TOOL_USE: 'the model answered without a tool use',
  MODEL_SEVERAL_TOOL_USES: 'the model answered with more than one tool use',
  MODEL_UNKNOWN_TOOL: 'the model chose a tool that was not offered',
  MODEL_INVALID_ARGUMENTS: 'the arguments of the model do not fit the tool',
  MODEL_UNAVAILABLE: 'the model could not be reached, or refused to answer',
  MODEL_CALLS_SPENT: 'a mail has used as many calls of the model as one mail may',
  CALL_UNRESOLVED: 'a proposal names something that is not part of the case or the circle',
  APPROVAL_LINK_INVALID: 'an approval link is forged, expired or for something else',
  APPROVAL_CODE_WRONG: 'the code does not belong to this approval',
  APPROVAL_LOCKED: 'too many wrong codes; the link is locked for a while',
  APPROVAL_CLOSED: 'the approval has been decided, or has expired',
  NOTICE_REFUSED: 'a notice was addressed to somebody who is not one of the people of the circle',
  NOTICE_NOT_SENT: 'the mail service did not take a notice; it may be tried again',
  SIGN_IN_REFUSED: 'a sign-in with the mail provider was declined, or its code ran out',
  SIGN_IN_EXPIRED: 'the sign-in with the mail provider has run out; a person signs in again',
  SIGN_IN_UNAVAILABLE: 'the provider of a sign-in did not answer; it may be tried again',
  DATA_DIRECTORY_INVALID: 'the data directory cannot be used',
  BACKUP_INVALID: 'a backup is damaged, is none, or was made by a newer release',
  PORT_IN_USE: 'a port is taken by another program',
  CASE_STUCK: 'a case neither ends nor waits for a person',
  UNEXPECTED: 'a step met something that it does not know; the log of the step has its kind',
  STATES_REFUSED: 'the States Language engine refused a request or a definition, as AWS would',
  JOURNAL_UNAVAILABLE: 'the engine cannot write its journal, so nothing may go on',
  RULE_SET_TAKEN: 'another set of rules receives the mail of the region',
  OFFICE_UNREACHABLE: 'no running office answers',
  RELEASE_REFUSED: 'a release would ship something else than what was examined, or destroy what must be kept',
  CLOUD_UNAVAILABLE: 'a service of the account refused, or did not answer',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The base class of every error that Caregate throws. */
export class CaregateError extends Error {
  readonly code: ErrorCode;

  /**
   * @param code what kind of error this is
   * @param message lower case, no full stop, names the input in backticks and says what to do; never contains
   *   mail text, a name, an address or a token
   */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = code;
  }
}

/** Whether `error` is a Caregate error, of this code if one is given. */
export function isCaregateError(error: unknown, code?: ErrorCode): error is CaregateError {
  return error instanceof CaregateError && (code === undefined || error.code === code);
}
