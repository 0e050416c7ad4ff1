import addressparser from 'nodemailer/lib/addressparser';
import { ServiceFault } from './fault.ts';

/** A SendRawEmail request, its envelope settled as SES settles it. The mail's text is not looked at. */
export interface RawEmail {
  readonly raw: Uint8Array;
  /** The envelope sender. */
  readonly source: string;
  /** Every address that the mail speaks for; SES demands that each is verified. */
  readonly senders: readonly string[];
  readonly destinations: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly configurationSet?: string;
}

/** SES's limit for a mail, in bytes of base64. */
const sizeLimit = 10 * 1024 * 1024;
const destinationLimit = 50;
const headerLimit = 256 * 1024;

/**
 * Reads the parameters of SendRawEmail (SES query protocol, 2010-12-01).
 * @throws ServiceFault as SES refuses what it does not take
 */
export function readRawEmail(parameters: URLSearchParams): RawEmail {
  const encoded = parameters.get('RawMessage.Data') ?? '';
  if (encoded === '') throw invalid('`RawMessage.Data` is missing');
  if (encoded.length > sizeLimit) throw invalid(`Message length is more than ${sizeLimit} bytes long`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw invalid('`RawMessage.Data` is not base64');
  const raw = new Uint8Array(Buffer.from(encoded, 'base64'));
  const headers = readHeaders(raw);
  const from = addresses(headers, ['from']);
  const given = parameters.get('Source');
  const source = given === null ? from[0] : addressesOf(given)[0];
  if (source === undefined || from.length === 0) throw invalid('Missing required header `From`');
  const named = members(parameters, 'Destinations').flatMap(addressesOf);
  const destinations = named.length > 0 ? named : addresses(headers, ['to', 'cc', 'bcc']);
  if (destinations.length === 0) throw invalid('Missing destination');
  if (destinations.length > destinationLimit) throw invalid(`Recipient count exceeds ${destinationLimit}`);
  const configurationSet = parameters.get('ConfigurationSetName');
  return {
    raw,
    source,
    senders: [source, ...from, ...addresses(headers, ['sender', 'return-path'])],
    destinations,
    tags: readTags(parameters),
    ...(configurationSet === null ? {} : { configurationSet }),
  };
}

function readTags(parameters: URLSearchParams): Record<string, string> {
  const tags: Record<string, string> = {};
  for (let at = 1; parameters.has(`Tags.member.${at}.Name`); at += 1) {
    const name = parameters.get(`Tags.member.${at}.Name`) ?? '';
    const value = parameters.get(`Tags.member.${at}.Value`) ?? '';
    if (!/^[\w-]{1,256}$/.test(name) || !/^[\w@.-]{1,256}$/.test(value))
      throw invalid('a tag has another form');
    tags[name] = value;
  }
  return tags;
}

function members(parameters: URLSearchParams, list: string): string[] {
  const found: string[] = [];
  for (let at = 1; parameters.has(`${list}.member.${at}`); at += 1) {
    found.push(parameters.get(`${list}.member.${at}`) ?? '');
  }
  return found;
}

/** The header fields above the first blank line, unfolded, by lower-case name. */
function readHeaders(raw: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const text = Buffer.from(raw.subarray(0, headerLimit)).toString('utf8');
  const [top = ''] = text.split(/\r?\n\r?\n/, 1);
  const headers = new Map<string, string[]>();
  for (const line of top.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}

function addresses(headers: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string[] {
  return names.flatMap((name) => (headers.get(name) ?? []).flatMap(addressesOf));
}

function addressesOf(text: string): string[] {
  return addressparser(text, { flatten: true })
    .map(({ address }) => address)
    .filter((address) => address.includes('@'));
}

function invalid(message: string): ServiceFault {
  return new ServiceFault(400, 'InvalidParameterValue', message);
}
