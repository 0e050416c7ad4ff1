import { quoteForPeople } from '../evidence/quote.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Block } from './blocks.ts';
import type { NoticeKind, NoticeSlots } from './noticekinds.ts';
import { presentedBlocks } from './presentedblocks.ts';
import {
  caseReason,
  dayAndTime,
  endingWords,
  refusalReasons,
  toolTitles,
  voidReasons,
  whyAsked,
} from './wording.ts';

export interface Wording {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

type Words = { readonly [K in NoticeKind]: (slots: NoticeSlots<K>, circle: Circle) => Wording };

const text = (words: string): Block => ({ is: 'text', text: words });
const about = (circle: Circle): string => `for ${circle.patient.name}`;

/** What a mail with link and code says of itself: it is a key, and its holder can use it. */
const holderWarning =
  'Whoever has this mail can decide in your name: the link and the code are both in it. Please do not forward it.';

function decideBlocks(slots: { url: string; code: string; expires: string }, circle: Circle): Block[] {
  return [
    { is: 'link', label: 'Open the page to decide', url: slots.url },
    { is: 'code', code: slots.code },
    text(`The page asks for this code. It works until ${dayAndTime(slots.expires, circle)}.`),
    text(`${holderWarning} A reply to this mail decides nothing.`),
  ];
}

function subjectBlocks(subject: string | undefined): Block[] {
  if (subject === undefined || subject.trim() === '') return [];
  return [text('The mail it came from has this subject:'), { is: 'quote', text: quoteForPeople(subject) }];
}

/** What could not be read, each by its name, which is quoted. */
function unreadBlocks(unread: NonNullable<NoticeSlots<'closing'>['unread']>): Block[] {
  if (unread.length === 0) return [];
  const items = unread.map(({ name, why }) => `“${quoteForPeople(name).replace(/\s+/gu, ' ')}”: ${why}`);
  return [
    text('Please look at these yourself. They are kept, and could not be read:'),
    { is: 'list', items },
  ];
}

function whereToLook(caseId: string): Block {
  return text(`The whole story: \`caregate why ${caseId}\`.`);
}

type HeldMail = NoticeSlots<'quarantine_summary'>['mails'][number];

/** One mail in quarantine. Sender and subject are a stranger's words: they are quoted, and nothing in them works. */
function heldBlocks(mail: HeldMail, number: number, circle: Circle): Block[] {
  const words = [mail.from, mail.subject].filter((part) => part !== undefined && part.trim() !== '');
  return [
    { is: 'heading', text: `Mail ${number}` },
    text(`Received ${dayAndTime(mail.receivedAt, circle)}. Held back because ${caseReason(mail.reason)}.`),
    ...words.map((part) => ({ is: 'quote', text: quoteForPeople(part ?? '', 300) }) as const),
    mail.url === undefined
      ? text(`It cannot be released. Its number: ${mail.case}`)
      : { is: 'link', label: `Look at mail ${number}, and release it if you want`, url: mail.url },
  ];
}

function releaseBlocks(code: string, expires: string, circle: Circle): Block[] {
  return [
    { is: 'code', code },
    text(`The pages ask for this code. It works for every mail above until ${dayAndTime(expires, circle)}.`),
    text(`${holderWarning} A reply to this mail decides nothing.`),
  ];
}

/** A notice about how one action ended. */
function ended(
  headline: string,
  sentences: readonly string[],
  slots: NoticeSlots<'expired'>,
  circle: Circle,
): Wording {
  return {
    subject: `${headline}: ${toolTitles[slots.tool]} (${about(circle)})`,
    blocks: [...sentences.map(text), ...subjectBlocks(slots.subject), whereToLook(slots.case)],
  };
}

function wholeCase(
  headline: string,
  sentences: readonly string[],
  slots: NoticeSlots<'parked'>,
  circle: Circle,
): Wording {
  return {
    subject: `${headline} (${about(circle)})`,
    blocks: [
      ...sentences.map(text),
      text(`Reason: ${caseReason(slots.reason)}`),
      ...subjectBlocks(slots.subject),
      whereToLook(slots.case),
    ],
  };
}

/** The words of every kind of notice. */
export const noticeWords: Words = {
  approval_request: (slots, circle) => ({
    subject: `Please decide: ${slots.presentation.title} (${about(circle)})`,
    blocks: [
      text('Caregate would like to do the following, exactly as it stands here. It waits for you.'),
      text(whyAsked(slots.reason)),
      ...(slots.need > 1 ? [text(`${slots.need} different people have to approve it.`)] : []),
      ...presentedBlocks(slots.presentation),
      { is: 'heading', text: 'Your decision' },
      ...decideBlocks(slots, circle),
    ],
  }),
  question: (slots, circle) => ({
    subject: `A question ${about(circle)}`,
    blocks: [
      text('Caregate cannot go on with a mail without your answer.'),
      ...presentedBlocks(slots.presentation),
      { is: 'heading', text: 'Your answer' },
      ...decideBlocks(slots, circle),
    ],
  }),
  reminder: (slots, circle) => ({
    subject: `Reminder: ${slots.presentation.title} (${about(circle)})`,
    blocks: [
      text('This still waits for you. If nobody decides, it is not done.'),
      ...presentedBlocks(slots.presentation),
      { is: 'heading', text: 'Your decision' },
      ...decideBlocks(slots, circle),
    ],
  }),
  new_code: (slots, circle) => ({
    subject: `Your new code: ${slots.title} (${about(circle)})`,
    blocks: [
      text('Somebody asked for a new code on the page of this decision. If it was not you, do nothing.'),
      ...decideBlocks(slots, circle),
    ],
  }),
  refused: (slots, circle) =>
    ended(
      slots.alert === true ? 'Refused, please look' : 'Refused',
      [
        Object.hasOwn(voidReasons, slots.reason)
          ? 'Caregate did not do this after all. Nothing was sent or changed.'
          : 'Caregate did not do this, and nobody is asked to approve it.',
        `Reason: ${refusalReasons[slots.reason]}.`,
      ],
      slots,
      circle,
    ),
  declined: (slots, circle) => {
    const wording = ended('Declined', [`${slots.person} declined this, so it is not done.`], slots, circle);
    if (slots.words === undefined || slots.words === '') return wording;
    const reason: Block[] = [text('The reason given:'), { is: 'quote', text: quoteForPeople(slots.words) }];
    return { ...wording, blocks: [...wording.blocks, ...reason] };
  },
  expired: (slots, circle) =>
    ended('Not decided in time', ['Nobody decided in time, so it was not done.'], slots, circle),
  not_available: (slots, circle) =>
    ended(
      'Please do this yourself',
      ['Caregate cannot do this in this release. Nothing was done.'],
      slots,
      circle,
    ),
  conflict: (slots, circle) =>
    ended(
      'Something else is there already',
      ['In the place where this belongs there is something else. Nothing was overwritten.'],
      slots,
      circle,
    ),
  unknown_delivery: (slots, circle) =>
    ended(
      'Please check whether this letter left',
      [
        'Caregate handed this letter to be sent and got no answer. It may have left, or not.',
        'It is not sent a second time. Please ask the recipient before you write again.',
      ],
      slots,
      circle,
    ),
  parked: (slots, circle) =>
    wholeCase(
      'A mail could not be finished',
      [`Caregate stopped and waits for a person: \`caregate resume ${slots.case}\`.`],
      slots,
      circle,
    ),
  quarantine_summary: ({ mails, more, code, expires }, circle) => ({
    subject: `${mails.length === 1 ? 'A mail is' : `${mails.length} mails are`} in quarantine (${about(circle)})`,
    blocks: [
      text(
        'Caregate did not act on them: each is from somebody it does not know, could not be verified, or could not be read. Most are not worth a look. What you release is read like a mail from you; what it says still decides nothing.',
      ),
      ...mails.flatMap((mail, index) => heldBlocks(mail, index + 1, circle)),
      ...(more === 0 ? [] : [text(`${more} more are in quarantine: \`caregate cases\` lists them.`)]),
      ...(code === undefined || expires === undefined ? [] : releaseBlocks(code, expires, circle)),
    ],
  }),
  forwarding_code: ({ code, person, case: caseId }, circle) => ({
    subject: `A mailbox asks to forward to Caregate (${about(circle)})`,
    blocks: [
      text(`Gmail asks whether the mailbox of ${person} may forward its mail here by itself. Its code is:`),
      { is: 'code', code },
      text(
        'If one of you set this up: enter the code in Gmail, under Settings, Forwarding. Caregate does not answer Gmail, and follows no link. If nobody did, enter it nowhere: then nothing changes.',
      ),
      whereToLook(caseId),
    ],
  }),
  reply: ({ case: caseId }, circle) => ({
    subject: `Your reply decided nothing (${about(circle)})`,
    blocks: [
      text(
        'You answered a mail of Caregate. Nothing was done with your reply: whoever can write in your name could say yes in one.',
      ),
      text(
        'To decide or to answer, open the link in that mail and enter its code on the page. If the code no longer works, the page can send you a new one.',
      ),
      text('If you wanted to hand something in, send it as a new mail.'),
      whereToLook(caseId),
    ],
  }),
  undelivered: ({ what, sentAt, recipient }, circle) => {
    const to = recipient === undefined ? '' : ` to ${recipient}`;
    const next =
      what === 'letter'
        ? 'It is not sent again by itself. Look whether the address in your circle is right, and how else it can be said.'
        : 'What it asked may wait: decide it yourself if you were asked too. Look whether the address in your circle is right.';
    return {
      subject: `A mail did not arrive (${about(circle)})`,
      blocks: [
        text(
          `A mail server reports that a ${what}${to} of ${dayAndTime(sentAt, circle)} did not arrive. ${next}`,
        ),
        text('Everything that was sent: `caregate outbox`.'),
      ],
    };
  },
  deferred: (slots, circle) =>
    wholeCase(
      'Mails wait until later',
      ['A limit of your household was reached. What came since waits and is taken up later.'],
      slots,
      circle,
    ),
  failed_run: (slots, circle) =>
    wholeCase(
      'A run failed',
      [
        `The run \`${slots.execution}\` ended without finishing. Nothing is lost; a person can resume the case.`,
      ],
      slots,
      circle,
    ),
  closing: (slots, circle) => ({
    subject: `Done with a mail (${about(circle)})`,
    blocks: [
      ...subjectBlocks(slots.subject),
      slots.actions.length === 0
        ? text('There was nothing to do.')
        : {
            is: 'list',
            items: slots.actions.map(({ tool, what, ...ending }) => {
              const quoted = what === undefined ? '' : ` “${quoteForPeople(what).replace(/\s+/gu, ' ')}”`;
              return `${toolTitles[tool]}${quoted}: ${endingWords(ending)}`;
            }),
          },
      ...unreadBlocks(slots.unread ?? []),
      whereToLook(slots.case),
    ],
  }),
};
