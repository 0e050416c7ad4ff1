import type { EntryList } from '../provenance/circle.ts';

/**
 * What an argument controls. A VALUE says what the effect contains; a DESTINATION says where it lands; an AUTHORITY
 * says what power it gives. Only a VALUE can ever be raised by a validator.
 */
export const argumentClasses = ['VALUE', 'DESTINATION', 'AUTHORITY'] as const;
export type ArgumentClass = (typeof argumentClasses)[number];

/** How the model writes an argument, and so how it is resolved. */
export type ArgumentForm =
  | 'text' // { fact: 'f1' } or { text: '…' }
  | 'time' // the same; the value is an ISO instant with offset, or an ISO date for a whole day
  | 'document' // 'd1'
  | 'documents' // ['d1', …]
  | 'entry' // { entry: 'id' } or { literal: '…' }
  | 'role' // 'document-reader'
  | 'question' // an id of the closed list of questions
  | 'facts' // ['f1', …]
  | 'reason' // an id of the closed list of reasons
  | 'items'; // household items

export interface ArgumentSpec {
  readonly class: ArgumentClass;
  readonly form: ArgumentForm;
  /** For a DESTINATION: the list of the circle that it must be an entry of. */
  readonly list?: EntryList;
  readonly optional?: true;
  /** Longest text, in UTF-16 code units. */
  readonly longest?: number;
  readonly says: string;
}

export interface ToolSpec {
  readonly says: string;
  readonly arguments: { readonly [name: string]: ArgumentSpec };
  /** Whether it changes anything outside the case's own record. */
  readonly effect: boolean;
  /** Whether its effect can be executed in this release. The others are offered and gated all the same. */
  readonly available: boolean;
}

const appointment = {
  title: { class: 'VALUE', form: 'text', longest: 200, says: 'what the appointment is' },
  start: { class: 'VALUE', form: 'time', says: 'when it starts' },
  end: { class: 'VALUE', form: 'time', optional: true, says: 'when it ends, if the document says so' },
  place: { class: 'VALUE', form: 'text', longest: 300, optional: true, says: 'where it is' },
  uid: { class: 'VALUE', form: 'text', longest: 300, optional: true, says: 'the UID of the invitation' },
  calendar: { class: 'DESTINATION', form: 'entry', list: 'calendars', says: 'the calendar of the circle' },
} as const satisfies ToolSpec['arguments'];

/** Everything that a model can propose. Categories, arguments and their classes are closed. */
export const catalogue = {
  file_document: {
    says: 'File one document of this case in a folder of the circle.',
    arguments: {
      document: { class: 'VALUE', form: 'document', says: 'the document to file' },
      title: { class: 'VALUE', form: 'text', longest: 120, says: 'a short title' },
      date: { class: 'VALUE', form: 'time', optional: true, says: 'the date of the document' },
      folder: { class: 'DESTINATION', form: 'entry', list: 'folders', says: 'the folder of the circle' },
    },
    effect: true,
    available: true,
  },
  add_appointment: {
    says: 'Add one appointment to a calendar of the circle.',
    arguments: appointment,
    effect: true,
    available: true,
  },
  change_appointment: {
    says: 'Change an appointment that was added before.',
    arguments: appointment,
    effect: true,
    available: false,
  },
  cancel_appointment: {
    says: 'Cancel an appointment that was added before.',
    arguments: appointment,
    effect: true,
    available: false,
  },
  send_email: {
    says: 'Write one letter by mail to one contact of the circle.',
    arguments: {
      subject: { class: 'VALUE', form: 'text', longest: 200, says: 'the subject' },
      body: { class: 'VALUE', form: 'text', longest: 5000, says: 'the text of the letter' },
      attachments: {
        class: 'VALUE',
        form: 'documents',
        optional: true,
        says: 'documents of this case to attach',
      },
      to: { class: 'DESTINATION', form: 'entry', list: 'contacts', says: 'the contact of the circle' },
    },
    effect: true,
    available: true,
  },
  upload_to_portal: {
    says: 'Upload one document of this case to a portal of the circle.',
    arguments: {
      document: { class: 'VALUE', form: 'document', says: 'the document to upload' },
      portal: { class: 'DESTINATION', form: 'entry', list: 'portals', says: 'the portal of the circle' },
    },
    effect: true,
    available: false,
  },
  grant_access: {
    says: 'Let a contact of the circle read documents of this case for a while.',
    arguments: {
      documents: { class: 'VALUE', form: 'documents', says: 'the documents' },
      expires: { class: 'VALUE', form: 'time', says: 'when the access ends' },
      grantee: { class: 'DESTINATION', form: 'entry', list: 'contacts', says: 'the contact of the circle' },
      role: { class: 'AUTHORITY', form: 'role', says: 'the role that is granted' },
    },
    effect: true,
    available: false,
  },
  book_appointment: {
    says: 'Ask a provider of the circle for an appointment for the person cared for.',
    arguments: {
      reason: { class: 'VALUE', form: 'text', longest: 300, says: 'what it is about' },
      start: { class: 'VALUE', form: 'time', says: 'when it starts' },
      end: { class: 'VALUE', form: 'time', says: 'when it ends' },
      provider: {
        class: 'DESTINATION',
        form: 'entry',
        list: 'providers',
        says: 'the provider of the circle',
      },
    },
    effect: true,
    available: false,
  },
  stage_items: {
    says: 'Stage household items (receipts, subscriptions, bills) for a person to commit.',
    arguments: { items: { class: 'VALUE', form: 'items', says: 'at most 20 items' } },
    effect: true,
    available: false,
  },
  ask_person: {
    says: 'Ask a person of the circle one question of the closed list.',
    arguments: {
      question: { class: 'VALUE', form: 'question', says: 'the question' },
      about: { class: 'VALUE', form: 'facts', optional: true, says: 'the facts that it is about' },
    },
    effect: false,
    available: true,
  },
  no_further_action: {
    says: 'Say that nothing more is to be done for this mail.',
    arguments: { reason: { class: 'VALUE', form: 'reason', says: 'why' } },
    effect: false,
    available: true,
  },
} as const satisfies Record<string, ToolSpec>;

export type ToolName = keyof typeof catalogue;
export const toolNames = Object.keys(catalogue) as readonly ToolName[];

/** What triage may say a mail is about. */
export const categories = [
  'appointment',
  'referral',
  'records_request',
  'bill',
  'receipt',
  'subscription',
  'form',
  'information',
  'clinical',
  'emergency',
  'other',
] as const;
export type Category = (typeof categories)[number];

/** The closed list of questions to people. `{0}` and `{1}` are slots for facts, quoted and stripped of links. */
export const questions = {
  which_date: 'Which date and time is meant by {0}? Answer with a date and time, such as 2027-03-04 10:30.',
  which_appointment: 'The letter gives {0} and {1}. Which appointment is right?',
  what_to_do: 'What should be done with this mail?',
  is_this_known: 'Do you know the sender, and should this mail be acted on?',
  clinical_content:
    'This mail has clinical or urgent content, which Caregate does not act on. Please read it yourself and say when you have.',
} as const;
export type QuestionId = keyof typeof questions;

/** Why a planner may stop. */
export const stopReasons = ['everything_done', 'information_only', 'not_for_us', 'cannot_tell'] as const;
export type StopReason = (typeof stopReasons)[number];
