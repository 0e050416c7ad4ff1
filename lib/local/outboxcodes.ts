import { simpleParser } from 'mailparser';
import { mailedCode } from '../approval/blocks.ts';
import { readOutbox } from './endpoints/outbox.ts';

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

/**
 * The links and codes that stand in the outbox of this machine, the newest first: the only place where a code can
 * be read. What a mail quotes is stripped of links and digits, so that only our own text can match.
 */
export async function mailedLinks(outbox: string): Promise<MailedLink[]> {
  const mails = await readOutbox(outbox);
  const links: MailedLink[] = [];
  for (const mail of mails) {
    const { text = '' } = await simpleParser(Buffer.from(mail.raw), { skipHtmlToText: true });
    const [url, payload] = link.exec(text) ?? [];
    const [, digits] = mailedCode.exec(text) ?? [];
    const claims = payload === undefined ? undefined : claimsOf(payload);
    if (url !== undefined && digits !== undefined && claims !== undefined) {
      links.push({ ...claims, url, code: digits, at: mail.at });
    }
  }
  return links.reverse().sort((a, b) => b.at.localeCompare(a.at)); // of the same instant the later one first
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
