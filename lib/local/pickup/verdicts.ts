import addressparser from 'nodemailer/lib/addressparser';
import { normaliseAddress, sameAddress } from '../../mail/address.ts';
import type { VerdictStatus, Verdicts } from '../mailbox/event.ts';
import { type AuthResult, parseAuthResults } from './authresults.ts';
import { isHostOf, isServerOf, type Receiver } from './receivers.ts';
import { type Field, headerFields, hopOf } from './topfields.ts';

/** What the household's provider wrote in front of a mail: the envelope's sender, and what it found out about it. */
export interface ProviderFindings {
  /** Empty for a bounce; `unknown` where the provider wrote none. */
  readonly source: string;
  readonly verdicts: Verdicts;
}

/** Nothing is known of the sender, which quarantines a mail: a person releases it, or does not. */
const nothing: Verdicts = { spam: 'DISABLED', virus: 'DISABLED', spf: 'GRAY', dkim: 'GRAY', dmarc: 'GRAY' };

/**
 * What is known of a mail that somebody else received for the household. A mail in a mailbox is text from top to bottom,
 * and all of it but the first lines is the sender's, who can write an `Authentication-Results` as well as any provider
 * can. So nothing passes unless the provider is known for putting its own on every mail, or the household says so of its
 * server; and then only what stands above all that a sender can write is read: the topmost such field, under nothing but
 * hops of the provider's own. If that one is another's, malformed, or about another address than the mail's own
 * From, the mail's sender is unknown.
 *
 * @param mail its bytes, or the beginning of them; attacker-controlled
 * @param receiver the provider, if it is one whose results can be believed
 */
export function providerFindings(mail: Uint8Array, receiver: Receiver | undefined): ProviderFindings {
  const fields = headerFields(mail);
  const source = sourceOf(fields, receiver);
  if (receiver === undefined) return { source, verdicts: nothing };
  const results = ownResults(fields, receiver);
  const spf = single(results, 'spf');
  const dmarc = single(results, 'dmarc');
  const verdicts: Verdicts = {
    ...nothing,
    spf: passes(spf) && isAbout(spf, 'smtp.mailfrom', source) ? 'PASS' : failing(spf),
    dkim: statusOf(results.filter(({ method }) => method === 'dkim')),
    dmarc: passes(dmarc) && isAboutFrom(dmarc, fields) ? 'PASS' : failing(dmarc),
  };
  return { source, verdicts };
}

/** The results in the fields that the provider wrote. */
function ownResults(fields: readonly Field[], receiver: Receiver): readonly AuthResult[] {
  const top = fields.findIndex(({ name }) => name === 'authentication-results');
  const above = fields.slice(0, Math.max(0, top)).filter(({ name }) => name === 'received');
  const hops = above.map(({ value }) => hopOf(value));
  if (top < 0 || hops.some(({ by, within }) => !isHostOf(receiver, by) && !(within && by === ''))) return [];
  // Above the hop from outside stands nothing of the sender's, so all fields there are the provider's.
  const several = receiver.several || hops.every(({ within }) => within);
  const end = fields.findIndex(({ name }, at) => at > top && name !== 'authentication-results');
  const run = fields.slice(top, several ? (end < 0 ? fields.length : end) : top + 1);
  // A run that reaches no hop of the provider's may have the sender's own fields at its end.
  const closed = isHostOf(receiver, hopBelow(fields, end)) ? run : run.slice(0, 1);
  const parsed = closed.map(({ value }) => parseAuthResults(value));
  const foreign = parsed.findIndex((each) => each !== undefined && !isServerOf(receiver, each.server));
  return (foreign < 0 ? parsed : parsed.slice(0, foreign)).flatMap((each) => each?.results ?? []);
}

/** The host of the next hop; one that is nobody's if there is none. */
function hopBelow(fields: readonly Field[], from: number): string {
  const below = from < 0 ? undefined : fields.slice(from).find(({ name }) => name === 'received');
  return below === undefined ? 'nobody.invalid' : hopOf(below.value).by;
}

/** The one result of a method. Two of them are one too many: nobody can say which counts. */
function single(results: readonly AuthResult[], method: string): AuthResult | undefined {
  const [found, ...others] = results.filter((result) => result.method === method);
  return others.length === 0 ? found : undefined;
}

function passes(result: AuthResult | undefined): result is AuthResult {
  return result?.result === 'pass';
}

function failing(result: AuthResult | undefined): VerdictStatus {
  return result?.result === 'fail' ? 'FAIL' : 'GRAY';
}

/** Of several signatures one that holds is enough. Whose it is says DMARC, so that nothing is decided by this alone. */
function statusOf(results: readonly AuthResult[]): VerdictStatus {
  if (results.some(passes)) return 'PASS';
  return results.length > 0 && results.every(({ result }) => result === 'fail') ? 'FAIL' : 'GRAY';
}

/** Whether a result is about this very address, or its domain where it names a domain alone. */
function isAbout({ properties }: AuthResult, property: string, address: string): boolean {
  const about = properties.get(property) ?? '';
  return about.includes('@') ? sameAddress(about, address) : isDomainOf(about, address);
}

/** Whether DMARC's result is about the only address in the only From that the mail has. */
function isAboutFrom({ properties }: AuthResult, fields: readonly Field[]): boolean {
  const [from, ...others] = fields.filter(({ name }) => name === 'from');
  const [author, ...more] = from === undefined ? [] : addressparser(from.value, { flatten: true });
  if (author === undefined || others.length + more.length > 0) return false;
  return isDomainOf(properties.get('header.from') ?? '', author.address ?? '');
}

function isDomainOf(domain: string, address: string): boolean {
  const whole = normaliseAddress(address);
  return whole !== undefined && whole.split('@')[1] === normaliseAddress(`a@${domain}`)?.split('@')[1];
}

/**
 * The envelope's sender as the provider wrote it, at the final delivery, above any hop that is not its own. With nothing
 * known of the provider it is the topmost one, and nothing is decided by it but whether a mail counts as a bounce.
 */
function sourceOf(fields: readonly Field[], receiver: Receiver | undefined): string {
  for (const { name, value } of fields) {
    if (name === 'return-path') return addressIn(value);
    if (name === 'received' && receiver !== undefined && !isHostOf(receiver, hopOf(value).by)) break;
  }
  return 'unknown';
}

function addressIn(value: string): string {
  const inner = /^<(.*)>$/.exec(value.trim())?.[1] ?? value.trim();
  return inner === '' ? '' : (normaliseAddress(inner) ?? 'unknown');
}
