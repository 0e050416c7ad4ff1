import { GetIdentityVerificationAttributesCommand, type SESClient } from '@aws-sdk/client-ses';
import { CaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';

/**
 * How the mail service knows a domain: `verified`; `unverified`; or `coming`, where it does not know it yet and this
 * very release registers it.
 */
export interface IdentityState {
  readonly domain: string;
  readonly state: 'verified' | 'unverified' | 'coming';
  /** The service's own word: `Success`, `Pending`, `Failed`, `TemporaryFailure`, `NotStarted`, or `absent`. */
  readonly status: string;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The domains that circles receive at and send from. */
export function domainsOf(circles: readonly Pick<Circle, 'inbox' | 'senders'>[]): string[] {
  const addresses = circles.flatMap(({ inbox, senders }) => [inbox, senders.notices, senders.letters]);
  return [...new Set(addresses.map(domainOf))].sort();
}

/** The most identities that the service describes at once. */
const mostAtOnce = 100;

/**
 * Asks the mail service how it knows the domains.
 * @param coming the identities that the release itself registers
 * @throws CaregateError `CLOUD_UNAVAILABLE`
 */
export async function readIdentities(
  client: SESClient,
  domains: readonly string[],
  coming: readonly string[],
): Promise<IdentityState[]> {
  const names = [...new Set(domains.flatMap((domain) => [domain, ...parentsOf(domain)]))];
  const known = new Map<string, string>();
  for (let at = 0; at < names.length; at += mostAtOnce) {
    const answer = await ask(client, names.slice(at, at + mostAtOnce));
    for (const [name, status] of answer) known.set(name, status);
  }
  return domains.map((domain) => {
    const statuses = [domain, ...parentsOf(domain)].flatMap((name) => known.get(name) ?? []);
    return stateOf(domain, statuses, coming);
  });
}

async function ask(client: SESClient, names: readonly string[]): Promise<[string, string][]> {
  const command = new GetIdentityVerificationAttributesCommand({ Identities: [...names] });
  const answer = await client.send(command).catch((cause: unknown) => {
    throw new CaregateError(
      'CLOUD_UNAVAILABLE',
      '`ses:GetIdentityVerificationAttributes` failed; check the region and your rights, then plan again',
      { cause },
    );
  });
  return Object.entries(answer.VerificationAttributes ?? {}).map(([name, { VerificationStatus }]) => [
    name,
    VerificationStatus ?? 'NotStarted',
  ]);
}

/** A verified domain stands for the domains below it. */
function parentsOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(1, -1).map((_, at) => labels.slice(at + 1).join('.'));
}

function stateOf(domain: string, statuses: readonly string[], coming: readonly string[]): IdentityState {
  if (statuses.includes('Success')) return { domain, state: 'verified', status: 'Success' };
  const [status = 'absent'] = statuses;
  const registers = coming.some((name) => name.toLowerCase() === domain || parentsOf(domain).includes(name));
  return { domain, state: status === 'absent' && registers ? 'coming' : 'unverified', status };
}

/** What a person has to know and do about a domain. */
export function explainIdentity({ domain, state, status }: IdentityState): string {
  switch (state) {
    case 'verified':
      return `domain \`${domain}\` is verified`;
    case 'coming':
      return `domain \`${domain}\` is registered by this release; publish the DNS records that it then shows, or no mail comes or goes`;
    case 'unverified':
      return `domain \`${domain}\` is not verified (${status}): publish its DKIM records in the DNS and wait until the mail service says so`;
  }
}
