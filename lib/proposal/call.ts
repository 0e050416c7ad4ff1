import type { TrustedEntry } from '../provenance/circle.ts';
import { digestOf, type Sha256 } from '../provenance/digest.ts';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';
import type { ToolName } from './catalogue.ts';

/** Where a VALUE comes from: a fact of the case, or the model's own words. */
export type Origin = { readonly fact: string } | { readonly model: true };

/** A VALUE as it will be used. UNTRUSTED unless it *is* a fact that a validator raised. */
export interface ValueArgument {
  readonly class: 'VALUE';
  readonly value: string;
  readonly trust: 'UNTRUSTED' | 'CONTROLLED';
  readonly origin: Origin;
}

/** Documents of this case, pinned by digest: the bytes that are shown are the bytes that are used. */
export interface DocumentsArgument {
  readonly class: 'VALUE';
  readonly documents: readonly { readonly digest: Sha256; readonly name: string }[];
  readonly trust: 'UNTRUSTED';
}

/** Where an effect lands. TRUSTED only as an entry of the circle; a literal stays what it is. */
export type DestinationArgument =
  | { readonly class: 'DESTINATION'; readonly entry: TrustedEntry; readonly trust: 'TRUSTED' }
  | { readonly class: 'DESTINATION'; readonly literal: string; readonly trust: 'UNTRUSTED' };

/** What power is given. TRUSTED only as a (grantee, role) pair that the circle lists. */
export interface AuthorityArgument {
  readonly class: 'AUTHORITY';
  readonly role: string;
  readonly trust: 'TRUSTED' | 'UNTRUSTED';
}

export type ResolvedArgument = ValueArgument | DocumentsArgument | DestinationArgument | AuthorityArgument;

/** A proposal resolved by code: what would happen, to the letter. */
export interface Call {
  readonly tool: ToolName;
  readonly circle: CircleId;
  readonly case: CaseId;
  /** From 1, in the order of proposal; never used twice in a case. */
  readonly action: number;
  readonly arguments: { readonly [name: string]: ResolvedArgument };
}

/**
 * The digest that a person consents to: tool, circle, case, action number and every resolved literal, entry id and
 * document digest. Trust is not part of it, so that it names the call and not an opinion about it.
 */
export function callDigest(call: Call): Sha256 {
  const { tool, circle, case: caseId, action } = call;
  const literals = Object.entries(call.arguments).map(([name, argument]) => [name, literalOf(argument)]);
  return digestOf({ tool, circle, case: caseId, action, arguments: Object.fromEntries(literals) });
}

function literalOf(argument: ResolvedArgument): unknown {
  if ('documents' in argument) return { documents: argument.documents.map((document) => document.digest) };
  if ('value' in argument) return { value: argument.value };
  if ('role' in argument) return { role: argument.role };
  if ('literal' in argument) return { literal: argument.literal };
  const { list, id, email } = argument.entry;
  return { entry: { list, id, email } };
}
