import { CaregateError } from '../errors.ts';
import type { Call, ResolvedArgument } from '../proposal/call.ts';
import type { ArgumentClass, ArgumentForm, ArgumentSpec, Category, ToolSpec } from '../proposal/catalogue.ts';
import {
  type Circle,
  isTrustedEntry,
  mayGrant,
  type TrustedEntry,
  trustedEntry,
} from '../provenance/circle.ts';
import type { Trust } from '../provenance/trust.ts';

/** The tools that a policy is about, by name. Caregate's own, or those of another agent. */
export type Catalogue = Readonly<Record<string, ToolSpec>>;

export const standingsOfCases = ['accepted', 'contact'] as const;
/** How the mail's sender was judged. No call is gated for a mail that was not admitted. */
export type CaseStanding = (typeof standingsOfCases)[number];

/** Where an argument comes from: a fact, the model's own words, the documents of the case, or the circle. */
export const origins = ['fact', 'model', 'case', 'circle'] as const;
export type ArgumentOrigin = (typeof origins)[number];

/** All that the rules of a policy can see of an argument. */
export interface AbstractArgument {
  readonly name: string;
  readonly class: ArgumentClass;
  readonly form: ArgumentForm;
  readonly trust: Trust;
  readonly origin: ArgumentOrigin;
}

/** All that the rules of a policy can see of a call: no value, so that no value can talk a rule around. */
export interface AbstractRequest {
  readonly tool: string;
  readonly effect: boolean;
  readonly category: Category;
  readonly standing: CaseStanding;
  /** The number of the action in its case, from 1. */
  readonly action: number;
  /** How many documents the call uses. */
  readonly documents: number;
  /** How many household items it stages. */
  readonly items: number;
  /** The largest amount among them, in minor units; 0 where there is none. */
  readonly amount: number;
  /** The role that is granted, if any. */
  readonly role?: string | undefined;
  readonly arguments: readonly AbstractArgument[];
}

export interface RequestContext {
  readonly circle: Circle;
  readonly catalogue: Catalogue;
  readonly category: Category;
  readonly standing: CaseStanding;
  /** See `Engine`: `promoted` exists for tests of what denying literals is good for. */
  readonly literals?: 'untrusted' | 'promoted';
}

/**
 * The abstract request of a call. No label of the call is believed where the circle can be asked: an entry must have
 * come out of the circle, be in it today and in the list that the tool asks for; a role must be listed for its grantee.
 * @throws CaregateError `INVALID_INPUT` for a call that does not fit the catalogue: it is denied, not guessed at
 */
export function abstractRequest(call: Call, context: RequestContext): AbstractRequest {
  const spec = Object.hasOwn(context.catalogue, call.tool) ? context.catalogue[call.tool] : undefined;
  if (spec === undefined) throw misfit('tool');
  const seen: AbstractArgument[] = [];
  const counts = { documents: 0, items: 0, amount: 0 };
  let role: string | undefined;
  for (const [name, argument] of Object.entries(call.arguments)) {
    const known = Object.hasOwn(spec.arguments, name) ? spec.arguments[name] : undefined;
    if (known === undefined || known.class !== argument.class) throw misfit(name);
    seen.push(abstractArgument(name, known, argument, call, context));
    if ('documents' in argument) counts.documents += argument.documents.length;
    if ('role' in argument) role = argument.role;
    if (known.form === 'items' && 'value' in argument) countItems(argument.value, counts);
  }
  for (const [name, known] of Object.entries(spec.arguments)) {
    if (known.optional !== true && !Object.hasOwn(call.arguments, name)) throw misfit(name);
  }
  if (!Number.isSafeInteger(call.action) || call.action < 1) throw misfit('action');
  const { category, standing } = context;
  return {
    tool: call.tool,
    effect: spec.effect,
    category,
    standing,
    action: call.action,
    ...counts,
    role,
    arguments: seen,
  };
}

function abstractArgument(
  name: string,
  spec: ArgumentSpec,
  argument: ResolvedArgument,
  call: Call,
  { circle, literals }: RequestContext,
): AbstractArgument {
  const { class: kind, form } = spec;
  switch (argument.class) {
    case 'VALUE':
      if ('documents' in argument) return { name, class: kind, form, trust: 'UNTRUSTED', origin: 'case' };
      return { name, class: kind, form, ...valueTrust(argument) };
    case 'DESTINATION': {
      const trusted =
        'entry' in argument ? isEntryToday(argument.entry, spec, circle) : literals === 'promoted';
      return { name, class: kind, form, ...(trusted ? fromCircle : fromModel) };
    }
    case 'AUTHORITY': {
      const trusted = granteesOf(call).some((grantee) => mayGrant(circle, grantee.id, argument.role));
      return { name, class: kind, form, ...(trusted ? fromCircle : fromModel) };
    }
  }
}

const fromCircle = { trust: 'TRUSTED', origin: 'circle' } as const;
const fromModel = { trust: 'UNTRUSTED', origin: 'model' } as const;

/** A model's own words are UNTRUSTED whatever they are labelled, and no value is TRUSTED. */
function valueTrust(
  argument: ResolvedArgument & { origin: unknown },
): Pick<AbstractArgument, 'trust' | 'origin'> {
  const fact = typeof argument.origin === 'object' && argument.origin !== null && 'fact' in argument.origin;
  if (!fact) return fromModel;
  return { trust: argument.trust === 'CONTROLLED' ? 'CONTROLLED' : 'UNTRUSTED', origin: 'fact' };
}

function isEntryToday(entry: TrustedEntry, spec: ArgumentSpec, circle: Circle): boolean {
  if (!isTrustedEntry(entry) || entry.list !== spec.list) return false;
  const today = trustedEntry(circle, entry.list, entry.id);
  return today !== undefined && today.name === entry.name && today.email === entry.email;
}

function granteesOf(call: Call): TrustedEntry[] {
  return Object.values(call.arguments).flatMap((argument) =>
    argument.class === 'DESTINATION' && 'entry' in argument ? [argument.entry] : [],
  );
}

function countItems(text: string, counts: { items: number; amount: number }): void {
  const items: unknown = JSON.parse(text);
  if (!Array.isArray(items)) throw misfit('items');
  counts.items += items.length;
  for (const item of items as readonly unknown[]) {
    const amount = typeof item === 'object' && item !== null && 'amount' in item ? Number(item.amount) : 0;
    if (!Number.isFinite(amount)) throw misfit('items');
    counts.amount = Math.max(counts.amount, Math.abs(amount));
  }
}

function misfit(name: string): CaregateError {
  return new CaregateError(
    'INVALID_INPUT',
    `\`${name}\` of the call does not fit the catalogue; resolve the proposal again`,
  );
}
