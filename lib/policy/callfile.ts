import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import type { Call, DestinationArgument, ResolvedArgument } from '../proposal/call.ts';
import {
  type ArgumentSpec,
  type Category,
  categories,
  catalogue as ownCatalogue,
  type ToolName,
} from '../proposal/catalogue.ts';
import { canonicalJson } from '../provenance/canonical.ts';
import { type Circle, entryByAddress, trustedEntry } from '../provenance/circle.ts';
import { parseSha256 } from '../provenance/digest.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { isMoment } from '../provenance/moment.ts';
import { type CaseStanding, type Catalogue, standingsOfCases } from './request.ts';

const valueSchema = z.strictObject({
  value: z.string(),
  /** CONTROLLED says that code checked it. Nothing that is written into a file can claim more. */
  trust: z.enum(['UNTRUSTED', 'CONTROLLED']).default('UNTRUSTED'),
});
const documentSchema = z.strictObject({ name: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const argumentSchema = z.union([
  valueSchema,
  z.strictObject({ entry: z.string() }),
  z.strictObject({ literal: z.string() }),
  z.strictObject({ documents: z.array(documentSchema) }),
  z.strictObject({ role: z.string() }),
  z.strictObject({ items: z.array(z.record(z.string(), z.json())) }),
]);

type WrittenArgument = z.infer<typeof argumentSchema>;

/** A call as a person, or another agent, writes it down. */
export const callFileSchema = z.strictObject({
  tool: z.string(),
  category: z.enum(categories).default('other'),
  standing: z.enum(standingsOfCases).default('accepted'),
  action: z.int().positive().default(1),
  arguments: z.record(z.string(), argumentSchema),
});
export type CallFile = z.input<typeof callFileSchema>;

export interface ReadCall {
  readonly call: Call;
  readonly category: Category;
  readonly standing: CaseStanding;
}

/**
 * Reads a call from JSON text, as `caregate gate CALL.json` takes it.
 * @throws CaregateError `INVALID_INPUT` for what does not have the form, `CALL_UNRESOLVED` for what the circle does not have
 */
export function parseCallFile(text: string, circle: Circle, catalogue: Catalogue = ownCatalogue): ReadCall {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CaregateError('INVALID_INPUT', 'the `call` is not JSON; see docs/gate-for-other-agents.md', {
      cause,
    });
  }
  return readCall(value, circle, catalogue);
}

/**
 * Reads a call from a value of the same form, for an agent whose tool calls are objects already. A call can name entries
 * of the circle, but it cannot make one.
 * @throws CaregateError as {@link parseCallFile}
 */
export function readCall(value: unknown, circle: Circle, catalogue: Catalogue = ownCatalogue): ReadCall {
  const result = callFileSchema.safeParse(value);
  if (!result.success) throw misformed(result.error.issues[0]?.path.join('.') ?? '');
  const { tool, category, standing, action, arguments: written } = result.data;
  const spec = Object.hasOwn(catalogue, tool) ? catalogue[tool] : undefined;
  if (spec === undefined) throw unresolved('tool', 'is not in the catalogue');
  const resolved = Object.entries(written).map(([name, argument]) => {
    const known = Object.hasOwn(spec.arguments, name) ? spec.arguments[name] : undefined;
    if (known === undefined) throw unresolved(name, 'is not an argument of the tool');
    return [name, resolvedArgument(name, known, argument, circle)] as const;
  });
  const missing = Object.keys(spec.arguments).find(
    (name) => spec.arguments[name]?.optional !== true && !Object.hasOwn(written, name),
  );
  if (missing !== undefined) throw unresolved(missing, 'is missing');
  const call = { tool: tool as ToolName, circle: circle.id, case: noCase, action };
  return { call: { ...call, arguments: Object.fromEntries(resolved) }, category, standing };
}

/** The case of a call that belongs to none. */
const noCase = `c-${'0'.repeat(32)}` as CaseId;

function resolvedArgument(
  name: string,
  spec: ArgumentSpec,
  argument: WrittenArgument,
  circle: Circle,
): ResolvedArgument {
  switch (spec.class) {
    case 'DESTINATION':
      return destinationOf(name, spec, argument, circle);
    case 'AUTHORITY':
      if (!('role' in argument)) throw unresolved(name, 'is no role');
      return { class: 'AUTHORITY', role: argument.role, trust: 'UNTRUSTED' };
    case 'VALUE':
      return valueOrDocuments(name, spec, argument);
  }
}

/** The gate asks the circle itself what a role is worth, so that nothing needs to be claimed here. */
function destinationOf(
  name: string,
  { list }: ArgumentSpec,
  argument: WrittenArgument,
  circle: Circle,
): DestinationArgument {
  if (list === undefined || !('entry' in argument || 'literal' in argument)) {
    throw unresolved(name, 'is neither an entry nor a literal');
  }
  const entry =
    'entry' in argument
      ? trustedEntry(circle, list, argument.entry)
      : entryByAddress(circle, list, argument.literal);
  if (entry !== undefined) return { class: 'DESTINATION', entry, trust: entry.trust };
  if ('entry' in argument) throw unresolved(name, `names an entry that \`${list}\` does not have`);
  return { class: 'DESTINATION', literal: argument.literal, trust: 'UNTRUSTED' };
}

function valueOrDocuments(name: string, { form }: ArgumentSpec, argument: WrittenArgument): ResolvedArgument {
  if ('documents' in argument) {
    const documents = argument.documents.map(({ name: title, sha256 }) => ({
      digest: parseSha256(sha256),
      name: title,
    }));
    if (form !== 'documents' && (form !== 'document' || documents.length !== 1))
      throw unresolved(name, 'takes one document');
    return { class: 'VALUE', documents, trust: 'UNTRUSTED' };
  }
  const model = { class: 'VALUE', trust: 'UNTRUSTED', origin: { model: true } } as const;
  if ('items' in argument && form === 'items') return { ...model, value: canonicalJson(argument.items) };
  if (!('value' in argument) || form === 'items' || form === 'document' || form === 'documents') {
    throw unresolved(name, `is not written as \`${form}\` is`);
  }
  const { value, trust } = argument;
  if (form === 'time' && !isMoment(value))
    throw unresolved(name, 'is neither an ISO instant with its offset nor an ISO date');
  return trust === 'CONTROLLED'
    ? { class: 'VALUE', value, trust, origin: { fact: name } }
    : { ...model, value };
}

function misformed(where: string): CaregateError {
  return new CaregateError(
    'INVALID_INPUT',
    `the \`call\` does not have its form at \`${where}\`; see docs/gate-for-other-agents.md`,
  );
}

function unresolved(name: string, what: string): CaregateError {
  return new CaregateError('CALL_UNRESOLVED', `\`${name}\` of the call ${what}; correct it`);
}
