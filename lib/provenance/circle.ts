import { RE2JS } from 're2js';
import * as z from 'zod';
import { type Path, readConfiguration, readConfigurationText } from './configuration.ts';
import { digestOf, type Sha256 } from './digest.ts';
import { type CircleId, circleIdPattern } from './identifiers.ts';
import { circleRoles } from './roles.ts';

const id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const name = z.string().trim().min(1).max(120);
const email = z
  .email()
  .max(254)
  .transform((address) => address.toLowerCase());

export { type CircleRole, circleRoles } from './roles.ts';

/** The form of a circle, to read one back from a record. A file is read by {@link parseCircle}, which checks more. */
export const circleSchema = z.strictObject({
  id: z
    .string()
    .max(40)
    .regex(circleIdPattern)
    .transform((text) => text as CircleId),
  patient: z.strictObject({ name, born: z.iso.date().optional() }),
  timezone: z.string().refine(isTimeZone, 'is not an IANA time zone'),
  locale: z.string().regex(/^[a-z]{2}-[A-Z]{2}$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** The address that mail for this circle is forwarded to. */
  inbox: email,
  senders: z.strictObject({ notices: email, letters: email }),
  people: z.array(z.strictObject({ id, name, email, roles: z.array(z.enum(circleRoles)).min(1) })).min(1),
  contacts: z.array(z.strictObject({ id, name, email })).default([]),
  folders: z.array(z.strictObject({ id, name })).min(1),
  calendars: z.array(z.strictObject({ id, name })).min(1),
  portals: z.array(z.strictObject({ id, name })).default([]),
  providers: z.array(z.strictObject({ id, name })).default([]),
  grants: z.array(z.strictObject({ grantee: id, role: id })).default([]),
  /** Numbers that only this household has, by a pattern (RE2 syntax) that is searched for in letters. */
  identifiers: z
    .array(
      z.strictObject({
        id,
        name: name.max(40),
        pattern: z.string().min(3).max(200),
      }),
    )
    .max(20)
    .optional(),
  limits: z
    .strictObject({
      mailsPerDay: z.int().positive().default(200),
      openApprovals: z.int().positive().default(10),
      modelCallsPerMail: z.int().positive().default(20),
      actionsPerMail: z.int().positive().max(8).default(8),
      approvalHours: z.int().positive().max(168).default(72),
    })
    .prefault({}),
});

/** A household's trusted configuration, as its owner wrote it. Read-only at run time. */
export type Circle = z.infer<typeof circleSchema>;
export type Person = Circle['people'][number];
export type Contact = Circle['contacts'][number];

/** The lists of a circle that a DESTINATION can point into. */
export const entryLists = ['people', 'contacts', 'folders', 'calendars', 'portals', 'providers'] as const;
export type EntryList = (typeof entryLists)[number];

declare const trusted: unique symbol;

/** An entry of the circle. Only this module makes one: it is the only source of TRUSTED. */
export interface TrustedEntry {
  readonly [trusted]: true;
  readonly list: EntryList;
  readonly id: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly trust: 'TRUSTED';
}

const made = new WeakSet<object>();

/** The entry `id` of a list of the circle, or nothing if there is none. */
export function trustedEntry(circle: Circle, list: EntryList, id: string): TrustedEntry | undefined {
  const found: { id: string; name: string; email?: string } | undefined = circle[list].find(
    (e) => e.id === id,
  );
  if (found === undefined) return undefined;
  const entry = Object.freeze({ list, id, name: found.name, email: found.email, trust: 'TRUSTED' as const });
  made.add(entry);
  return entry as TrustedEntry;
}

/**
 * The entry whose address a literal *is*, letter by letter apart from case. Beyond ASCII nothing is compared at all:
 * lower-casing would turn the Kelvin sign into a `k`. Neither does anything else about an address count: no display
 * name, no sub-address, no second address beside it.
 * @param literal attacker-controlled
 */
export function entryByAddress(circle: Circle, list: EntryList, literal: string): TrustedEntry | undefined {
  if (!/^[\x21-\x7e]+$/.test(literal)) return undefined;
  const entries: readonly { id: string; email?: string }[] = circle[list];
  const found = entries.find((entry) => entry.email === literal.toLowerCase());
  return found === undefined ? undefined : trustedEntry(circle, list, found.id);
}

/** Whether a value came out of {@link trustedEntry}: what looks like an entry but was built elsewhere did not. */
export function isTrustedEntry(value: unknown): value is TrustedEntry {
  return typeof value === 'object' && value !== null && made.has(value);
}

/** Whether the circle lists this exact pair, the only way in which a role is TRUSTED. */
export function mayGrant(circle: Circle, grantee: string, role: string): boolean {
  return circle.grants.some((grant) => grant.grantee === grantee && grant.role === role);
}

/** The digest of a circle: a changed circle voids what was consented under the old one. */
export function circleDigest(circle: Circle): Sha256 {
  return digestOf(circle);
}

/**
 * Reads a circle from its YAML text.
 * @param file the name to call it by in errors
 * @throws CaregateError `CONFIGURATION_INVALID` with line and column where the text is not a circle
 */
export function parseCircle(text: string, file: string): Circle {
  return parse(text, file, [repeatedId, repeatedAddress, ownAddress, strayGrant, badPattern]);
}

/**
 * The same for a file that {@link parseCircle} took when it was deployed, or when the office started. Its patterns are
 * not tried again: what matches them is large, and most functions have no other use for it.
 */
export function parseDeployedCircle(text: string, file: string): Circle {
  return parse(text, file, [repeatedId, repeatedAddress, ownAddress, strayGrant]);
}

function parse(text: string, file: string, checks: readonly Check[]): Circle {
  const { value: circle, invalid } = readConfiguration(text, file, circleSchema);
  for (const check of checks) {
    const fault = check(circle);
    if (fault !== undefined) throw invalid(fault.path, fault.what);
  }
  return circle;
}

/** Reads a circle from a file. Errors as {@link parseCircle}. */
export function loadCircle(file: string): Circle {
  return readCircleFile(file, parseCircle);
}

/** Reads a circle from a file, as `parse` reads its text. */
export function readCircleFile(file: string, parse: typeof parseCircle): Circle {
  const text = readConfigurationText(file, `circle \`${file}\` cannot be read; name a readable file`);
  return parse(text, file);
}

interface Fault {
  readonly path: Path;
  readonly what: string;
}
type Check = (circle: Circle) => Fault | undefined;

/** Two entries of one id: a proposal that names it would mean either. */
function repeatedId(circle: Circle): Fault | undefined {
  for (const list of entryLists) {
    const ids = circle[list].map((entry) => entry.id);
    const index = ids.findIndex((id, position) => ids.indexOf(id) !== position);
    if (index !== -1)
      return { path: [list, index, 'id'], what: `the id \`${ids[index]}\` is used twice in \`${list}\`` };
  }
  return undefined;
}

/** Two people or two contacts of one address: a sender, or a literal recipient, would be either. */
function repeatedAddress(circle: Circle): Fault | undefined {
  for (const list of ['people', 'contacts'] as const) {
    const addresses = circle[list].map((entry) => entry.email);
    const index = addresses.findIndex((address, position) => addresses.indexOf(address) !== position);
    if (index !== -1) {
      return {
        path: [list, index, 'email'],
        what: `the address of \`${circle[list][index]?.id}\` is another entry's in \`${list}\``,
      };
    }
  }
  return undefined;
}

/** An entry that writes from an address of the circle's own: each of its mails would be one of ours, and ignored. */
function ownAddress(circle: Circle): Fault | undefined {
  const own = [circle.inbox, ...Object.values(circle.senders)];
  for (const list of ['people', 'contacts'] as const) {
    const index = circle[list].findIndex((entry) => own.includes(entry.email));
    if (index !== -1) {
      return {
        path: [list, index, 'email'],
        what: `the address of \`${circle[list][index]?.id}\` is \`inbox\` or one of \`senders\`, whose mail is ignored`,
      };
    }
  }
  return undefined;
}

/** A pair whose grantee is nobody: a contact that is added later under that id would have been granted unseen. */
function strayGrant(circle: Circle): Fault | undefined {
  const index = circle.grants.findIndex(
    (grant) => !circle.contacts.some((contact) => contact.id === grant.grantee),
  );
  if (index === -1) return undefined;
  return {
    path: ['grants', index, 'grantee'],
    what: `\`${circle.grants[index]?.grantee}\` is not a contact of this circle`,
  };
}

/** A pattern that is none, or that finds what is empty. */
function badPattern({ identifiers = [] }: Circle): Fault | undefined {
  const index = identifiers.findIndex(({ pattern }) => !isPattern(pattern));
  if (index === -1) return undefined;
  return {
    path: ['identifiers', index, 'pattern'],
    what: `\`identifiers.${index}.pattern\`: is no pattern of RE2 that matches something`,
  };
}

/** A pattern that matches nothing at all would match everywhere. */
function isPattern(pattern: string): boolean {
  try {
    return !RE2JS.compile(pattern).matcher('').matches();
  } catch {
    return false;
  }
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
