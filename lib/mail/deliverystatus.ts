import { decodeText } from './charset.ts';
import { automaticOf } from './headers.ts';
import { type Leaf, parseLeaves } from './leaves.ts';

/** What a mail server reports of a mail that it could not hand on (RFC 3464). Whoever writes a mail can forge one. */
export interface DeliveryStatus {
  readonly action: 'failed' | 'delayed';
  /** The status code of RFC 3463, such as `5.1.1`, where the report has one. */
  readonly status?: string | undefined;
  /** The Message-IDs, with their angle brackets, of what the report says that it is about. */
  readonly messageIds: readonly string[];
}

/** What is read of one part: a report is short, and returned headers stand at the start. */
const longestPart = 65_536;
const mostIds = 10;
const reports = new Set(['message/delivery-status', 'message/global-delivery-status']);
const returned = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers']);

/**
 * Reads a report that a mail did not arrive, or not yet. Some servers write none that programs can read: a mail that its
 * headers call a bounce counts as a failure then, if the lost mail's headers stand in its text.
 * @param raw the bytes of the report; attacker-controlled
 * @returns nothing for any other mail, and for a report of a mail that arrived or that is not named
 * @throws CaregateError `MAIL_UNREADABLE`, `MAIL_TOO_LARGE`
 */
export async function readDeliveryStatus(raw: Uint8Array): Promise<DeliveryStatus | undefined> {
  const { fields, leaves } = await parseLeaves(raw);
  if (automaticOf(fields) !== 'bounce') return undefined;
  const textsOf = (wanted: (leaf: Leaf) => boolean): string[] =>
    leaves.filter(wanted).map(({ bytes }) => unfolded(bytes));
  const groups = textsOf(({ contentType }) => reports.has(contentType)).flatMap((text) =>
    text.split(/\n{2,}/),
  );
  const said = groups.map((group) => ({
    action: fieldOf(group, 'action'),
    status: fieldOf(group, 'status'),
  }));
  const found = said.find(isOf('failed')) ?? said.find(isOf('delayed'));
  const isStructured = groups.some((group) => fieldOf(group, 'action') !== undefined);
  if (isStructured && found === undefined) return undefined;
  const about = textsOf(({ contentType }) => returned.has(contentType)).map(headerOf);
  const texts = isStructured
    ? about
    : [...about, ...textsOf(({ contentType }) => contentType === 'text/plain')];
  const messageIds = [...new Set(texts.flatMap(messageIdsIn))].slice(0, mostIds);
  if (messageIds.length === 0) return undefined;
  const action = found === undefined || isOf('failed')(found) ? 'failed' : 'delayed';
  return { action, status: statusOf(found?.status), messageIds };
}

const isOf =
  (wanted: string) =>
  ({ action }: { readonly action: string | undefined }): boolean =>
    action?.toLowerCase() === wanted;

function unfolded(bytes: Uint8Array): string {
  return decodeText(Buffer.from(bytes.subarray(0, longestPart)), undefined)
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ');
}

const headerOf = (text: string): string => text.split('\n\n', 1)[0] ?? '';

function fieldOf(group: string, name: string): string | undefined {
  const start = `${name}:`;
  const line = group.split('\n').find((each) => each.toLowerCase().startsWith(start));
  return line?.slice(start.length).trim();
}

function messageIdsIn(text: string): string[] {
  return [...text.matchAll(/^Message-ID:[ \t]*(<[^<>\s]{1,250}>)/gim)].map(([, id]) => id ?? '');
}

/** A comment may follow the code. */
function statusOf(value: string | undefined): string | undefined {
  return /^[45]\.\d{1,3}\.\d{1,3}(?=$|\s)/.exec(value ?? '')?.[0];
}
