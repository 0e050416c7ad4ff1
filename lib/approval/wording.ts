import * as z from 'zod';
import type { ActionStatus } from '../casefile/schemas.ts';
import { type ReasonCode, reasonCodes } from '../policy/decision.ts';
import { type ToolName, toolNames } from '../proposal/catalogue.ts';
import type { Circle } from '../provenance/circle.ts';

/** What a call would do, as the first words that a person reads of it. */
export const toolTitles = {
  file_document: 'File a document',
  add_appointment: 'Add an appointment to the calendar',
  change_appointment: 'Change an appointment in the calendar',
  cancel_appointment: 'Cancel an appointment in the calendar',
  send_email: 'Send a letter by email',
  upload_to_portal: 'Upload a document to a portal',
  grant_access: 'Let somebody read documents',
  book_appointment: 'Ask a provider for an appointment',
  stage_items: 'Note household items',
  ask_person: 'Answer a question',
  no_further_action: 'Do nothing more',
} as const satisfies Record<ToolName, string>;

/** What a person can be asked about: a call of one of the tools, or a mail in quarantine. */
export const askedSchema = z.enum(['release_mail', ...toolNames]);
export type Asked = z.infer<typeof askedSchema>;

/** The first words of what a person is asked. */
export const askedTitles = { ...toolTitles, release_mail: 'Read a mail from the quarantine' } as const;

/** What the arguments of the catalogue are called on a page. */
export const argumentLabels: Readonly<Record<string, string>> = {
  document: 'Document',
  documents: 'Documents',
  title: 'Title',
  date: 'Date',
  folder: 'Folder',
  start: 'Starts',
  end: 'Ends',
  place: 'Place',
  uid: 'Number of the invitation',
  calendar: 'Calendar',
  to: 'To',
  subject: 'Subject',
  body: 'Text of the letter',
  attachments: 'Attachments',
  portal: 'Portal',
  grantee: 'Who gets access',
  role: 'As',
  expires: 'Access ends',
  reason: 'Reason',
  provider: 'Provider',
  items: 'Items',
};

/** Why a person is asked, in words for that person. */
export function whyAsked(reason: ReasonCode): string {
  switch (reason) {
    case 'DATES_NOT_CONTROLLED':
      return 'The date or time could not be checked by Caregate. Please compare it with the letter.';
    case 'LEAVES_THE_HOUSEHOLD':
      return 'This would leave the household, so one of you has to approve exactly what leaves.';
    case 'CHANGES_AN_APPOINTMENT':
      return 'An appointment that is in the calendar already would change.';
    case 'GIVES_ACCESS':
      return 'Somebody would get access to documents.';
    case 'CONSTITUTION_REVIEW':
      return 'The text matches a rule of your household that asks for a second look.';
    default:
      return 'The rules of your household ask for a person here.';
  }
}

/** An instant or a day in the circle's own zone and language, such as `Thursday, 4 March 2027 at 10:30`. */
export function dayAndTime(
  moment: string,
  { locale, timezone }: Pick<Circle, 'locale' | 'timezone'>,
): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(moment);
  const time = Date.parse(moment);
  if (Number.isNaN(time)) return moment;
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'full',
    ...(isDay ? { timeZone: 'UTC' } : { timeStyle: 'short', timeZone: timezone }),
  }).format(time);
}

/**
 * Makes characters visible that a reader would not see or that would change the order of what she sees: controls,
 * zero-width and bidirectional marks, tags. Line breaks and tabs stay.
 * @param text attacker-controlled
 */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu, (character) =>
      character === '\n' || character === '\t' ? character : `[U+${hex(character)}]`,
    );
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** How an action stands, in words. */
export const statusWords = {
  verified: 'done, and read back',
  sent: 'sent',
  awaiting: 'waits for a person',
  refused: 'not done: the rules refuse it',
  declined: 'not done: a person declined',
  expired: 'not done: nobody decided in time',
  unknown: 'not certain: please check',
  conflict: 'not done: something else is there already',
  not_available: 'not done: please do it yourself',
  answered: 'answered',
  noted: 'noted',
} as const satisfies Record<ActionStatus, string>;

/** Why an action that could have been done when it was decided on cannot be done any longer. */
export const voidReasons = {
  CALL_CHANGED: 'an entry of your household that it names was changed or taken out since it was decided on',
  CONSENT_MISSING: 'an approval that it needs is missing, or counts no longer',
} as const;
/** Why an action was refused: by a rule, or since it is void. */
export const refusalReasons = { ...reasonCodes, ...voidReasons } as const;
export type RefusalReason = keyof typeof refusalReasons;

/** How an action ended, in words; of a refused one, why. */
export function endingWords({ status, reason }: { status: ActionStatus; reason: string }): string {
  const isSaid = status === 'refused' && Object.hasOwn(refusalReasons, reason);
  return isSaid ? `not done: ${refusalReasons[reason as RefusalReason]}` : statusWords[status];
}

const caseReasons: Readonly<Record<string, string>> = {
  SENDER_UNKNOWN: 'the sender is neither a person nor a contact of your household',
  SENDER_UNVERIFIED: 'the sender’s address could not be verified',
  VIRUS_FOUND: 'a virus was found in it; it was not opened',
  SPAM_FOUND: 'it looks like unwanted mail',
  SCAN_FAILED: 'it could not be searched for viruses, so it was not opened',
  BOUNCE: 'it says that another mail could not be delivered',
  AUTOMATIC_REPLY: 'it is an automatic reply',
  LIST_POST: 'it was sent to a mailing list',
  OWN_MAIL: 'it is a mail of Caregate’s own',
  REPLY_TO_NOTICE: 'it answers a mail of Caregate’s own, and a reply decides nothing',
  FORWARDING_CONFIRMATION: 'a mailbox asks to forward to Caregate',
  NOT_A_MAIL: 'it could not be read as a mail',
  DAILY_CAP_REACHED: 'as many mails came today as your household allows',
  APPROVALS_CAP_REACHED: 'as many decisions wait as your household allows',
  MODEL_UNAVAILABLE: 'the model did not answer',
  MODEL_NO_TOOL_USE: 'the model gave no proposal that could be used',
  MODEL_SEVERAL_TOOL_USES: 'the model gave several proposals at once',
  MODEL_UNKNOWN_TOOL: 'the model proposed something that is not on the list',
  MODEL_INVALID_ARGUMENTS: 'the model gave no proposal that could be used',
  MODEL_CALLS_SPENT: 'the model was asked as often as one mail may ask it',
  STORE_UNAVAILABLE: 'the case file could not be reached',
  RUN_FAILED: 'the run ended without finishing',
  ACTION_FAILED: 'one of its actions failed',
};

/** A reason code about a whole case in words, or the code itself where there are none. */
export function caseReason(code: string): string {
  return caseReasons[code] ?? `\`${code}\``;
}

/** What everybody is told where letters do not leave. */
export const sendingOff = 'Sending is switched off here: a letter is written and kept, and does not leave.';
