import { type EmailAddress, type HeaderLines, parseAddressHeader } from 'mailparser';
import { cutText, visibleLine } from './characters.ts';
import { decodeText } from './charset.ts';
import type { MailAddress, Message } from './types.ts';

/** The raw header fields of one mail, in order. All of it is attacker-controlled. */
export class HeaderFields {
  readonly #lines: HeaderLines;

  constructor(lines: HeaderLines) {
    this.#lines = lines;
  }

  /** The unfolded value of every field of this name (lower case), without the name. */
  all(name: string): string[] {
    return this.#lines
      .filter((line) => line.key === name)
      .map((line) => decodeText(Buffer.from(line.line, 'latin1'), undefined))
      .map((line) => line.slice(line.indexOf(':') + 1).replace(/\r?\n[ \t]*/g, ' '))
      .map((value) => value.trim());
  }

  first(name: string): string | undefined {
    return this.all(name)[0];
  }
}

const manyAddresses = 100;

/** The addresses of every field of this name. */
export function addressesOf(fields: HeaderFields, name: string): MailAddress[] {
  const addresses = fields.all(name).flatMap((value) => flatten(parseAddressHeader(value)?.value ?? []));
  return addresses.slice(0, manyAddresses);
}

/**
 * Every address that some program might read as the sender's. A From that is not plainly `name <address>` or an
 * address alone is read differently by different programs: each address in it counts, so that it is never taken
 * for a mail of one of them.
 */
export function sendersOf(fields: HeaderFields): MailAddress[] {
  const parsed = addressesOf(fields, 'from');
  const seen = new Set(parsed.map((each) => each.address));
  for (const value of fields.all('from')) {
    if (isPlain(value)) continue;
    for (const [address] of value.matchAll(/[^\s<>,;:"()]{0,64}@[^\s<>,;:"()]{1,255}/g)) {
      if (!seen.has(address)) parsed.push({ name: '', address });
      seen.add(address);
    }
  }
  return parsed.slice(0, manyAddresses);
}

function isPlain(value: string): boolean {
  if (value.length > 2000) return false;
  const unquoted = value.replace(/"(?:[^"\\]|\\.)*"/g, '');
  return (
    /^[^<>()@,;:"]*<[^<>()\s,;:"@]+@[^<>()\s,;:"@]+>$/.test(unquoted) ||
    /^[^<>()\s,;:"@]+@[^<>()\s,;:"@]+$/.test(value)
  );
}

function flatten(addresses: readonly EmailAddress[]): MailAddress[] {
  return addresses.flatMap((each) =>
    each.group === undefined
      ? [
          {
            name: cutText(visibleLine(each.name), 200),
            address: cutText(visibleLine(each.address ?? ''), 320),
          },
        ]
      : flatten(each.group),
  );
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const zones: Readonly<Record<string, string>> = {
  ut: '+0000', utc: '+0000', gmt: '+0000', z: '+0000', est: '-0500', edt: '-0400', cst: '-0600', cdt: '-0500',
  mst: '-0700', mdt: '-0600', pst: '-0800', pdt: '-0700',
}; // biome-ignore format: a table

const dateForm =
  /^(?:[a-z]{3},?\s+)?(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s+([+-]\d{4}|[a-z]{1,3})$/i;

/** The instant of a Date field (RFC 5322), in UTC. What does not read as one gives nothing: never a guess. */
export function dateOf(value: string | undefined): string | undefined {
  const match = dateForm.exec((value ?? '').replace(/\([^()]*\)/g, ' ').trim());
  if (match === null) return undefined;
  const [day = '', month = '', year = '', hour = '', minute = '', second = '00', zone = ''] = match.slice(1);
  const number = months.indexOf(month.toLowerCase()) + 1;
  const offset = zones[zone.toLowerCase()] ?? zone;
  if (number === 0 || !/^[+-](?:0\d|1[0-4])[0-5]\d$/.test(offset)) return undefined;
  const pad = (text: string | number): string => String(text).padStart(2, '0');
  const local = `${year}-${pad(number)}-${pad(day)}T${pad(hour)}:${minute}:${second === '60' ? '59' : second}`;
  const check = new Date(`${local}Z`);
  if (Number.isNaN(check.getTime()) || check.toISOString().slice(0, 10) !== local.slice(0, 10))
    return undefined;
  return new Date(`${local}${offset.slice(0, 3)}:${offset.slice(3)}`).toISOString();
}

/** The Message-IDs of the mails that this one says it answers, without their brackets. */
export function answersOf(fields: HeaderFields): string[] {
  const ids = ['in-reply-to', 'references'].flatMap((name) => fields.all(name));
  const found = ids.flatMap((value) => [...value.slice(0, 20_000).matchAll(/<([^<>\s]{1,250})>/g)]);
  return [...new Set(found.map(([, id = '']) => id))].slice(0, manyAddresses);
}

/**
 * What the headers say about automatic mail. A clinic's reminder is generated too, and often carries
 * `Auto-Submitted: auto-generated` or `List-Unsubscribe`: neither makes a mail automatic here.
 */
export function automaticOf(fields: HeaderFields): Message['automatic'] {
  const contentType = (fields.first('content-type') ?? '').toLowerCase();
  if (
    /^multipart\/report\b/.test(contentType) &&
    /report-type="?(?:delivery-status|disposition)/.test(contentType)
  ) {
    return 'bounce';
  }
  if (fields.first('x-failed-recipients') !== undefined) return 'bounce';
  if (/^auto-replied\b/i.test(fields.first('auto-submitted') ?? '')) return 'reply';
  if (fields.first('x-autoreply') !== undefined || fields.first('x-autorespond') !== undefined)
    return 'reply';
  if (/^auto_reply$/i.test(fields.first('precedence') ?? '')) return 'reply';
  const post = fields.first('list-post');
  return post === undefined || /^no\b/i.test(post) ? undefined : 'list';
}
