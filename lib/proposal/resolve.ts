import { CaregateError } from '../errors.ts';
import type { CaseDocument, Evidence } from '../evidence/types.ts';
import { canonicalJson } from '../provenance/canonical.ts';
import { type Circle, entryByAddress, mayGrant, trustedEntry } from '../provenance/circle.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { isMoment } from '../provenance/moment.ts';
import type { Fact, FactKind } from '../provenance/trust.ts';
import type { Call, DestinationArgument, ResolvedArgument, ValueArgument } from './call.ts';
import { type ArgumentSpec, catalogue as ownCatalogue, type ToolSpec } from './catalogue.ts';
import type { Proposal } from './schema.ts';

export interface ResolutionContext {
  readonly evidence: Evidence;
  readonly circle: Circle;
  readonly case: CaseId;
  readonly action: number;
  /** The tools that may be proposed; Caregate's own unless another agent brings its own. */
  readonly catalogue?: Readonly<Record<string, ToolSpec>> | undefined;
}

/**
 * Resolves a proposal into the call that would be made, to the letter: facts become their values, aliases become
 * digests, ids become entries of the circle. Nothing is repaired or defaulted. Every trust is derived here, from the
 * evidence and the circle alone, and a model's choice of words can only ever be UNTRUSTED.
 * @param proposal attacker-controlled: whoever wrote the mail may have written it
 * @throws CaregateError `CALL_UNRESOLVED` where it names something that is not part of the case or the circle
 */
export function resolve(proposal: Proposal, context: ResolutionContext): Call {
  const { catalogue = ownCatalogue } = context;
  const spec = Object.hasOwn(catalogue, proposal.tool) ? catalogue[proposal.tool] : undefined;
  if (spec === undefined) throw unresolved('tool', 'is not in the catalogue');
  const specs = spec.arguments;
  const stray = Object.keys(proposal.input).find((name) => !Object.hasOwn(specs, name));
  if (stray !== undefined) throw unresolved(stray, 'is not an argument of the tool');
  const facts: Fact[] = [];
  const resolved: Record<string, ResolvedArgument> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const input = proposal.input[name];
    if (input !== undefined) resolved[name] = argumentOf({ name, spec, input, context, facts });
    else if (spec.optional !== true) throw unresolved(name, 'is missing');
  }
  refuseMixture(facts);
  const { circle, case: caseId, action } = context;
  const call = { tool: proposal.tool, circle: circle.id, case: caseId, action, arguments: resolved };
  return Object.freeze({ ...call, arguments: Object.freeze(withAuthority(resolved, circle)) });
}

interface Unresolved {
  readonly name: string;
  readonly spec: ArgumentSpec;
  readonly input: unknown;
  readonly context: ResolutionContext;
  /** Collects every fact that the call uses. */
  readonly facts: Fact[];
}

function argumentOf(argument: Unresolved): ResolvedArgument {
  const { name, spec, input, context } = argument;
  switch (spec.form) {
    case 'text':
    case 'time':
      return quotedOrWorded(argument);
    case 'document':
      return documentsOf(name, [input], context.evidence);
    case 'documents':
      return documentsOf(name, listOf(name, input), context.evidence);
    case 'entry':
      return destinationOf(argument);
    case 'role':
      return Object.freeze({ class: 'AUTHORITY', role: textOf(name, input), trust: 'UNTRUSTED' });
    case 'question':
    case 'reason':
      return worded(textOf(name, input));
    case 'facts': {
      const ids = listOf(name, input).map((id) => factOf(argument, id).id);
      return worded(canonicalJson(ids));
    }
    case 'items':
      return worded(canonicalJson(listOf(name, input)));
  }
}

/** A value in the model's own words: nothing has checked it, and nothing will. */
function worded(value: string): ValueArgument {
  return Object.freeze({ class: 'VALUE', value, trust: 'UNTRUSTED', origin: { model: true } as const });
}

const timeKinds: readonly FactKind[] = ['appointment_start', 'appointment_end', 'date', 'answer'];

function quotedOrWorded(argument: Unresolved): ValueArgument {
  const { name, spec, input } = argument;
  if (!isRecord(input)) throw unresolved(name, 'is neither a fact nor a text');
  const value = 'fact' in input ? quoted(argument, input.fact) : worded(textOf(name, input.text));
  if (value.value.length > (spec.longest ?? Number.POSITIVE_INFINITY)) throw unresolved(name, 'is too long');
  if (spec.form === 'time' && !isMoment(value.value)) {
    throw unresolved(name, 'is neither an ISO instant with its offset nor an ISO date');
  }
  return value;
}

/** The value that a fact gives. A fact that is not about a time is no checked time, whatever its value looks like. */
function quoted(argument: Unresolved, id: unknown): ValueArgument {
  const fact = factOf(argument, id);
  if (fact.trust === 'TRUSTED') {
    throw new CaregateError(
      'TRUST_REFUSED',
      `fact \`${fact.id}\` claims TRUSTED; only the circle gives that`,
    );
  }
  argument.facts.push(fact);
  const checked = argument.spec.form !== 'time' || timeKinds.includes(fact.kind);
  const trust = checked ? fact.trust : 'UNTRUSTED';
  return Object.freeze({ class: 'VALUE', value: fact.value, trust, origin: { fact: fact.id } });
}

function factOf({ name, context }: Unresolved, id: unknown): Fact {
  const fact = context.evidence.facts.find((known) => known.id === id);
  if (fact === undefined) throw unresolved(name, 'names a fact that the case does not have');
  return fact;
}

function documentsOf(name: string, aliases: readonly unknown[], { documents }: Evidence): ResolvedArgument {
  const found = aliases.map((alias): CaseDocument => {
    const document = documents.find((known) => known.alias === alias);
    if (document === undefined) throw unresolved(name, 'names a document that the case does not have');
    return document;
  });
  if (new Set(aliases).size < aliases.length) throw unresolved(name, 'names a document twice');
  const pinned = found.map(({ id, name: title }) => Object.freeze({ digest: id, name: title }));
  return Object.freeze({ class: 'VALUE', documents: Object.freeze(pinned), trust: 'UNTRUSTED' });
}

function destinationOf({ name, spec, input, context }: Unresolved): DestinationArgument {
  if (!isRecord(input) || spec.list === undefined)
    throw unresolved(name, 'is neither an entry nor a literal');
  if ('entry' in input) {
    const entry = trustedEntry(context.circle, spec.list, textOf(name, input.entry));
    if (entry === undefined) throw unresolved(name, `names an entry that \`${spec.list}\` does not have`);
    return Object.freeze({ class: 'DESTINATION', entry, trust: 'TRUSTED' });
  }
  const literal = textOf(name, input.literal);
  const entry = entryByAddress(context.circle, spec.list, literal);
  return entry === undefined
    ? Object.freeze({ class: 'DESTINATION', literal, trust: 'UNTRUSTED' })
    : Object.freeze({ class: 'DESTINATION', entry, trust: 'TRUSTED' });
}

/** A role is TRUSTED only together with the grantee that the circle lists it for. */
function withAuthority(resolved: Record<string, ResolvedArgument>, circle: Circle) {
  const destination = Object.values(resolved).find((argument) => argument.class === 'DESTINATION');
  const grantee = destination !== undefined && 'entry' in destination ? destination.entry : undefined;
  const derive = (argument: ResolvedArgument): ResolvedArgument =>
    argument.class === 'AUTHORITY' && grantee !== undefined && mayGrant(circle, grantee.id, argument.role)
      ? Object.freeze({ ...argument, trust: 'TRUSTED' })
      : argument;
  return Object.fromEntries(Object.entries(resolved).map(([name, argument]) => [name, derive(argument)]));
}

/** The title of one appointment with the time of another is an appointment that no document contains. */
function refuseMixture(facts: readonly Fact[]): void {
  const groups = new Set(facts.flatMap((fact) => (fact.group === undefined ? [] : [fact.group])));
  if (groups.size > 1) throw unresolved('facts', 'belong to different appointments');
}

function textOf(name: string, input: unknown): string {
  if (typeof input !== 'string' || !input.isWellFormed()) throw unresolved(name, 'is not a text');
  return input;
}

function listOf(name: string, input: unknown): readonly unknown[] {
  if (!Array.isArray(input)) throw unresolved(name, 'is not a list');
  return input;
}

function isRecord(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function unresolved(name: string, what: string): CaregateError {
  return new CaregateError('CALL_UNRESOLVED', `\`${name}\` ${what}; propose another call`);
}
