import MailComposer from 'nodemailer/lib/mail-composer';
import { CaregateError } from '../lib/errors.ts';
import type { Circle, Person } from '../lib/provenance/circle.ts';
import { sha256 } from '../lib/provenance/digest.ts';
import { type Day, instantOf, quotedDate } from './days.ts';

/** What every sample is written from: for whom, and which day it is. */
export interface Occasion {
  readonly circle: Circle;
  readonly today: Day;
}

/** One sample: its bytes, and the envelope sender that a receiver would see. */
export interface Sample {
  readonly name: string;
  /** One line for people: what this mail shows. */
  readonly says: string;
  readonly raw: Uint8Array;
  readonly from: string;
}

export interface Attachment {
  readonly filename: string;
  readonly content: Uint8Array | string;
  readonly contentType: string;
}

export interface Draft {
  readonly name: string;
  readonly says: string;
  readonly sender: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** When it was written; a day before today, as mail that waits in the morning. */
  readonly day: Day;
  readonly time: string;
  readonly attachments?: readonly Attachment[];
}

/** A mail as a mail program would build it. The same draft on the same day has the same bytes. */
export async function compose(draft: Draft, { circle, today }: Occasion): Promise<Sample> {
  const mark = sha256(`${draft.name} ${today.toString()}`);
  const mail = new MailComposer({
    from: draft.sender,
    to: circle.inbox,
    subject: draft.subject,
    text: draft.text,
    ...(draft.html === undefined ? {} : { html: draft.html }),
    date: instantOf(draft.day, draft.time, circle),
    messageId: `<${mark.slice(0, 24)}@${draft.sender.address.split('@')[1] ?? 'mail.example'}>`,
    baseBoundary: mark.slice(24, 40),
    newline: 'windows',
    attachments: (draft.attachments ?? []).map(({ content, ...rest }) => ({
      ...rest,
      content: Buffer.from(content),
    })),
  });
  const raw = new Uint8Array(await mail.compile().build());
  return { name: draft.name, says: draft.says, raw, from: draft.sender.address };
}

/** A mail that a person of the circle passes on: what they write first, and the mail that they received. */
export interface Forward {
  readonly note: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly day: Day;
  readonly time: string;
  readonly subject: string;
  readonly to: Person;
  readonly text: string;
}

/** The text of an inline forward, as webmail writes it. */
export function forwarded(forward: Forward): string {
  return [
    forward.note,
    '',
    '---------- Forwarded message ---------',
    `From: ${forward.from.name} <${forward.from.address}>`,
    `Date: ${quotedDate(forward.day, forward.time)}`,
    `Subject: ${forward.subject}`,
    `To: ${forward.to.name} <${forward.to.email}>`,
    '',
    '',
    forward.text,
  ].join('\n');
}

/** The people who forward the samples: the first two of the circle, or the only one twice. */
export function forwarders(circle: Circle): { first: Person; second: Person } {
  const [first, second = first] = circle.people;
  if (first === undefined || second === undefined) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      '`people` of the circle is empty; list at least one person',
    );
  }
  return { first, second };
}

export function senderOf(person: Person): { name: string; address: string } {
  return { name: person.name, address: person.email };
}

/** `Maya` of `Maya Winterbourne`: how people sign to their own family. */
export function firstName(name: string): string {
  return name.split(' ')[0] ?? name;
}
