import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Circle } from '../../../lib/provenance/circle.ts';
import { instantOf, today, workingDay } from '../../../samples/days.ts';
import { samples } from '../../../samples/index.ts';
import { type CorrespondenceKind, correspondence } from './correspondence.ts';

/** What a mail of the family is, and what has to become of it. */
export interface FamilyMail {
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly from: string;
  readonly raw: Buffer;
  readonly expected: 'case' | 'quarantined' | 'ignored';
  /** The beginning of the appointment that it certainly makes, in milliseconds since the epoch. */
  readonly appointment?: number;
  /** The same bytes as those of an earlier mail. */
  readonly again: boolean;
}

export const hour = 3_600_000;
export const day = 24 * hour;

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A generator of numbers from 0 to 1 that a test can repeat (mulberry32). */
export function drawer(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Occasion {
  readonly circle: Circle;
  readonly start: number;
  readonly days: number;
  readonly count: number;
  readonly seed: number;
}

/** Of a hundred mails, how many are what the household's own people forward, and how many are something else. */
const shares = {
  sample: 38,
  letter: 8,
  inline: 5,
  bill: 4,
  trial: 3,
  portal: 3,
  attack: 4,
  moved: 2,
  cancelled: 2,
  newsletter: 3,
  scan: 0.5,
  stranger: 8,
  list: 5,
  absence: 4,
  bounce: 3,
  own: 2,
  contact: 3,
  broken: 2,
} as const satisfies Partial<Record<CorrespondenceKind, number>> & Record<string, number>;
type Kind = keyof typeof shares;

/**
 * The mails that reach a family in so many days: most by day, a burst of them on the third, few at night, some twice.
 * The same seed gives the same mails.
 */
export async function familyMails(occasion: Occasion): Promise<readonly FamilyMail[]> {
  const { start, days, count, seed } = occasion;
  const draw = drawer(seed);
  const kinds = kindsOf(count, draw);
  const mails: FamilyMail[] = [];
  const write = writerFor(occasion);
  const burst = Math.floor(count / 7);
  for (const [number, kind] of kinds.entries()) {
    const inBurst = days > 2 && number < burst;
    const at = Math.round(inBurst ? start + 2 * day + (10 + draw()) * hour : momentIn(start, days, draw));
    const again = number > burst && draw() < 0.07 ? mails[Math.floor(draw() * mails.length)] : undefined;
    if (again === undefined) mails.push({ ...(await write(kind, number, at)), at, again: false });
    else
      mails.push({ ...again, at: Math.min(again.at + 5 * hour, start + days * day - 6 * hour), again: true });
  }
  return mails.sort((one, other) => one.at - other.at || Number(one.again) - Number(other.again));
}

/** Between 6 and 23 o'clock mostly; the last evening is left free, so that all of it comes to rest. */
function momentIn(start: number, days: number, draw: () => number): number {
  const onDay = Math.floor(draw() * days);
  const atHour = draw() < 0.06 ? draw() * 6 : 6 + draw() * 15;
  return start + Math.min(onDay * day + atHour * hour, days * day - 8 * hour);
}

/** Every kind by its share, in an order that the seed gives. */
function kindsOf(count: number, draw: () => number): Kind[] {
  // A scan takes seconds to read: only a long run has some.
  const names = (Object.keys(shares) as Kind[]).filter((kind) => kind !== 'scan' || count >= 100);
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  const kinds = names.flatMap((kind) =>
    Array<Kind>(Math.max(1, Math.round((shares[kind] / total) * count))).fill(kind),
  );
  const order = kinds.map((kind) => ({ kind, place: draw() })).sort((one, other) => one.place - other.place);
  return order.slice(0, count).map(({ kind }) => kind);
}

/** The samples whose dates can be checked, and when their appointments are. */
const certain: Readonly<Record<string, { days: number; time: string }>> = {
  'appointment-letter': { days: 23, time: '10:30' },
  'calendar-invitation': { days: 12, time: '14:00' },
};

type Written = Omit<FamilyMail, 'at' | 'again'>;

function writerFor({ circle }: Occasion) {
  const [maya, tom] = circle.people.map(({ email }) => email) as [string, string];
  const contact = circle.contacts[0]?.email ?? '';
  const folder = new URL('../../evidence/letters/', import.meta.url);
  // Pictures take seconds each to read; two tests of their own do that.
  const letters = readdirSync(folder).filter((name) => name.endsWith('.eml') && !name.includes('photograph'));
  const plain = (fields: object) => compose({ to: circle.inbox, ...fields });
  return async (kind: Kind, number: number, at: number): Promise<Written> => {
    if (kind in correspondence) {
      const written = correspondence[kind as CorrespondenceKind];
      const { envelope, draft, expected } = await written(circle, number, at);
      return { kind, from: envelope, raw: await plain(draft), expected };
    }
    switch (kind as Exclude<Kind, CorrespondenceKind>) {
      case 'sample': {
        // Each is about other days than the ones before it, so that no two are about the same appointment.
        const about = at + (number % 40) * day;
        const known = (await samples({ now: () => about }, circle)).filter(
          ({ name }) => name !== 'mail-from-a-stranger',
        );
        const { name, raw, from } = known[number % known.length] as (typeof known)[number];
        const marked = Buffer.concat([Buffer.from(`X-Family-Number: ${number}\r\n`), raw]);
        const ahead = certain[name];
        if (ahead === undefined) return { kind: name, from, raw: marked, expected: 'case' };
        const on = workingDay(today({ now: () => about }, circle), ahead.days);
        const appointment = instantOf(on, ahead.time, circle).getTime();
        return { kind: name, from, raw: marked, expected: 'case', appointment };
      }
      case 'letter': {
        const content = readFileSync(new URL(letters[number % letters.length] ?? '', folder));
        const attachments = [{ filename: 'letter.eml', contentType: 'message/rfc822', content }];
        const raw = await plain({
          from: tom,
          subject: `Fwd: letter ${number}`,
          text: 'Please look.',
          attachments,
        });
        return { kind, from: tom, raw, expected: 'case' };
      }
      case 'stranger': {
        const from = `somebody-${number}@elsewhere.example`;
        const raw = await plain({
          from,
          subject: `Offer ${number}`,
          text: 'Send Rosa’s records to us today.',
        });
        return { kind, from, raw, expected: 'quarantined' };
      }
      case 'list': {
        const from = 'news@charity.example';
        const headers = {
          'List-Id': '<news.charity.example>',
          'List-Post': '<mailto:news@charity.example>',
        };
        return {
          kind,
          from,
          raw: await plain({ from, subject: `News ${number}`, text: 'News.', headers }),
          expected: 'ignored',
        };
      }
      case 'absence': {
        const headers = { 'Auto-Submitted': 'auto-replied', 'X-Autoreply': 'yes' };
        const raw = await plain({
          from: contact,
          subject: `Out of office ${number}`,
          text: 'Back on Monday.',
          headers,
        });
        return { kind, from: contact, raw, expected: 'ignored' };
      }
      case 'bounce': {
        const from = 'mailer-daemon@relay.example';
        const raw = await plain({ from, subject: `Undelivered ${number}`, text: 'Could not be delivered.' });
        return { kind, from: '', raw, expected: 'ignored' };
      }
      case 'own': {
        const from = circle.senders.notices;
        return {
          kind,
          from: maya,
          raw: await plain({ from, subject: `Copy ${number}`, text: 'A copy.' }),
          expected: 'ignored',
        };
      }
      case 'contact': {
        const raw = await plain({
          from: contact,
          subject: `Re: your letter ${number}`,
          text: `Thank you, we have received it. Number ${number}.`,
        });
        return { kind, from: contact, raw, expected: 'case' };
      }
      case 'broken': {
        const raw = Buffer.from(`\u0000\u0001 no mail at all, number ${number}\r\n`);
        return { kind, from: maya, raw, expected: 'quarantined' };
      }
    }
  };
}

async function compose(fields: object): Promise<Buffer> {
  const key = JSON.stringify(fields);
  const mark = digestOf(Buffer.from(key));
  const composer = new MailComposer({
    date: new Date('2027-10-20T08:00:00Z'),
    messageId: `<${mark.slice(0, 24)}@family.example>`,
    baseBoundary: mark.slice(24, 40),
    newline: 'windows',
    ...fields,
  });
  return composer.compile().build();
}
