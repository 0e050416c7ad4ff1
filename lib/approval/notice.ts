import { type SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import MailComposer from 'nodemailer/lib/mail-composer';
import { layout } from '../casefile/layout.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError } from '../errors.ts';
import { noticeMessageId } from '../mail/noticeid.ts';
import { canonicalJson } from '../provenance/canonical.ts';
import type { Circle, Person } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { digestOf, type Sha256 } from '../provenance/digest.ts';
import { htmlOfBlocks, textOfBlocks } from './blocks.ts';
import { type NoticeKind, type NoticeSlots, noticeKinds } from './noticekinds.ts';
import { noticeWords, type Wording } from './noticetext.ts';
import { sendingOff } from './wording.ts';

/** One notice to people of a circle. `people` are ids of the circle's people; there is no way to name an address. */
export type Notice = {
  readonly [K in NoticeKind]: {
    /** What makes it this notice: the same id is sent to a person once. */
    readonly id: string;
    readonly kind: K;
    readonly circle: Circle;
    readonly people: readonly string[];
    readonly slots: NoticeSlots<K>;
  };
}[NoticeKind];

/** Who was written to now, and who had this notice already. */
export interface NoticeResult {
  readonly sent: readonly string[];
  readonly before: readonly string[];
}

export type Notify = (notice: Notice) => Promise<NoticeResult>;

export interface NoticeParts {
  /** Whether letters leave; people are told with each letter where they do not. */
  readonly sending?: 'on' | 'off';
  readonly ses: SESClient;
  readonly store: ObjectStore;
  readonly clock: Clock;
}

/** Kinds that carry a code. Each such mail is one person's own. */
const personal: ReadonlySet<NoticeKind> = new Set([
  'approval_request',
  'question',
  'reminder',
  'new_code',
  'quarantine_summary',
]);

/**
 * The way to the circle's own people, and to nobody else: it is bound to SES here, and no other module of this
 * folder sends anything.
 *
 * A marker is written after a mail left, so a notice is sent again rather than lost when a run dies in between.
 * @throws CaregateError `NOTICE_REFUSED` for a recipient who is not one of the circle's people, or for a code that
 *   would go to several; `NOTICE_NOT_SENT` if the mail service took it for at least one of them not
 */
export function createNotify(parts: NoticeParts): Notify {
  return async (notice) => {
    const people = recipientsOf(notice);
    const wording = parts.sending === 'off' ? withoutSending(notice) : wordingOf(notice);
    const digest = digestOf({ circle: notice.circle.id, notice: notice.id, kind: notice.kind });
    const sent: string[] = [];
    const before: string[] = [];
    const failures: unknown[] = [];
    for (const person of people) {
      const marker = layout.notice(notice.circle.id, digest, person.id);
      if ((await parts.store.find(marker)) !== undefined) {
        before.push(person.id);
        continue;
      }
      try {
        await send(parts, notice, person, wording, digest);
        sent.push(person.id);
        await parts.store.create(marker, canonicalJson({ kind: notice.kind, at: isoTime(parts.clock) }));
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw notSent(notice.kind, failures);
    return { sent, before };
  };
}

/** Composes a notice as it leaves, for one person. Deterministic in its arguments. */
export async function composeNotice(
  notice: Notice,
  person: Person,
  wording: Wording,
  stamp: { digest: Sha256; at: Date },
): Promise<Uint8Array> {
  const from = notice.circle.senders.notices;
  const unique = digestOf({ ...stamp, at: stamp.at.toISOString(), person: person.id }).slice(0, 32);
  const composer = new MailComposer({
    from: { name: 'Caregate', address: from },
    to: { name: person.name, address: person.email },
    replyTo: notice.circle.inbox, // a reply is read, so that whoever replied learns that it decides nothing
    subject: wording.subject,
    text: textOfBlocks(wording.blocks),
    html: htmlOfBlocks(wording.subject, wording.blocks),
    date: stamp.at,
    messageId: `<${noticeMessageId(unique, from)}>`,
    references: `<${noticeMessageId(unique, from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Caregate-Notice': notice.kind },
    baseBoundary: unique,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return new Uint8Array(await composer.compile().build());
}

/** Says with a notice about a letter that letters do not leave here. */
function withoutSending(notice: Notice): Wording {
  const wording = wordingOf(notice);
  if (!isAboutLetter(notice)) return wording;
  return { ...wording, blocks: [...wording.blocks, { is: 'text', text: sendingOff }] };
}

function isAboutLetter({ kind, slots }: Notice): boolean {
  if (kind === 'approval_request' || kind === 'reminder') return slots.presentation.tool === 'send_email';
  return kind === 'closing' && slots.actions.some(({ status }) => status === 'sent');
}

/** The words of a notice, from slots that have the form of its kind. */
export function wordingOf(notice: Notice): Wording {
  const slots = noticeKinds[notice.kind].safeParse(notice.slots);
  if (!slots.success) {
    throw new CaregateError(
      'INVALID_INPUT',
      `notice \`${notice.kind}\` does not have the slots of its kind`,
      {
        cause: slots.error,
      },
    );
  }
  const words = noticeWords[notice.kind] as (slots: unknown, circle: Circle) => Wording;
  return words(slots.data, notice.circle);
}

function recipientsOf({ circle, kind, people }: Notice): Person[] {
  const found = [...new Set(people)].map((id) => {
    const person = circle.people.find((known) => known.id === id);
    if (person === undefined) {
      throw new CaregateError(
        'NOTICE_REFUSED',
        `notice \`${kind}\` is for somebody outside the circle; name its people`,
      );
    }
    return person;
  });
  if (found.length === 0 || (personal.has(kind) && found.length > 1)) {
    throw new CaregateError(
      'NOTICE_REFUSED',
      `notice \`${kind}\` has the wrong number of recipients; name one person`,
    );
  }
  return found;
}

async function send(
  { ses, clock }: NoticeParts,
  notice: Notice,
  person: Person,
  wording: Wording,
  digest: Sha256,
): Promise<void> {
  const raw = await composeNotice(notice, person, wording, { digest, at: new Date(clock.now()) });
  await ses.send(
    new SendRawEmailCommand({
      Source: notice.circle.senders.notices,
      Destinations: [person.email],
      RawMessage: { Data: raw },
      Tags: [{ Name: 'notice', Value: digest.slice(0, 32) }],
    }),
  );
}

function notSent(kind: NoticeKind, failures: readonly unknown[]): CaregateError {
  return new CaregateError('NOTICE_NOT_SENT', `notice \`${kind}\` did not leave for everybody; try again`, {
    cause: failures[0],
  });
}
