import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * The one form in which addresses are compared: ASCII letters in lower case, an internationalised domain as its ASCII
 * form. Nothing else is folded: a sub-address, a dot or a look-alike letter stays a different address, because a
 * mail provider may give it to somebody else.
 *
 * @param text an address alone, without a display name; attacker-controlled
 * @returns nothing for what is not one plain address
 */
export function normaliseAddress(text: string): string | undefined {
  const match = /^([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64})@([^\s@<>()[\],;:"\\]{1,255})$/.exec(text.trim());
  const [, local, domain] = match ?? [];
  if (local === undefined || domain === undefined) return undefined;
  const ascii = asciiDomain(domain);
  return ascii === undefined ? undefined : `${local.toLowerCase()}@${ascii}`;
}

/** Whether both are the same address. What is not an address equals nothing, not even itself. */
export function sameAddress(left: string, right: string): boolean {
  const normalised = normaliseAddress(left);
  return normalised !== undefined && normalised === normaliseAddress(right);
}

/**
 * Mapping a domain to ASCII also folds letters that merely look alike (full-width, mathematical): such a domain is
 * none, since the sender's checks were made on what the mail really says.
 */
function asciiDomain(domain: string): string | undefined {
  const lower = domain.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(lower)) return lower;
  const ascii = domainToASCII(lower);
  return ascii !== '' && domainToUnicode(ascii) === lower ? ascii : undefined;
}
