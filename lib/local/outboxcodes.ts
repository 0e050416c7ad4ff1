import { simpleParser } from 'mailparser';
import { mailedCode } from '../approval/blocks.ts';
import { isNotice, listOutbox, readKept, type SentMail } from './endpoints/outbox.ts';

/** A link with its code, as one person of the household finds them in her mail. */
export interface MailedLink {
  readonly approval: string;
  readonly person: string;
  readonly url: string;
  readonly code: string;
  /** ISO instant at which the mail left. */
  readonly at: string;
}

const link = /https?:\/\/\S+\/a\/[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+/;

/** What was found in notices that were read before, by their ids: a notice never changes. */
export type KnownLinks = Map<string, MailedLink | undefined>;

/**
 * The links and codes that stand in the outbox of this machine, the newest first: the only place where a code can
 * be read. What a mail quotes is stripped of links and digits, so that only our own text can match.
 * @param known kept by whoever looks again and again, so that each notice is read once
 */
export async function mailedLinks(outbox: string, known: KnownLinks = new Map()): Promise<MailedLink[]> {
  const notices = (await listOutbox(outbox)).mails.filter(isNotice);
  for (const kept of notices) {
    if (known.has(kept.id)) continue;
    const mail = await readKept(outbox, kept).catch(() => undefined); // a damaged one asks nothing
    known.set(kept.id, mail && (await linkIn(mail)));
  }
  const links = notices.flatMap(({ id }) => known.get(id) ?? []);
  return links.reverse().sort((a, b) => b.at.localeCompare(a.at)); // of the same instant the later one first
}

async function linkIn({ raw, at }: SentMail): Promise<MailedLink | undefined> {
  const { text = '' } = await simpleParser(Buffer.from(raw), { skipHtmlToText: true });
  const [url, payload] = link.exec(text) ?? [];
  const [, code] = mailedCode.exec(text) ?? [];
  const claims = payload === undefined ? undefined : claimsOf(payload);
  return url && code && claims ? { ...claims, url, code, at } : undefined;
}

/** What a link says of itself. Not verified: the page that it leads to does that. */
function claimsOf(payload: string): { approval: string; person: string } | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null) return undefined;
    const { approval, person } = claims as Record<string, unknown>;
    return typeof approval === 'string' && typeof person === 'string' ? { approval, person } : undefined;
  } catch {
    return undefined;
  }
}
