import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import type { CaseDocument } from '../evidence/types.ts';
import type { Call } from '../proposal/call.ts';
import {
  type ArgumentForm,
  type Category,
  categories,
  catalogue as ownCatalogue,
  type ToolName,
} from '../proposal/catalogue.ts';
import { resolve } from '../proposal/resolve.ts';
import type { Circle } from '../provenance/circle.ts';
import { parseSha256, sha256 } from '../provenance/digest.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import { type Fact, promote } from '../provenance/trust.ts';
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
 * Reads a call from a value of the same form, for an agent whose tool calls are objects already. The call is resolved like
 * any proposal: it can name entries of the circle, but it cannot make one.
 * @throws CaregateError as {@link parseCallFile}
 */
export function readCall(value: unknown, circle: Circle, catalogue: Catalogue = ownCatalogue): ReadCall {
  const result = callFileSchema.safeParse(value);
  if (!result.success) {
    const where = result.error.issues[0]?.path.join('.') ?? '';
    throw new CaregateError(
      'INVALID_INPUT',
      `the \`call\` does not have its form at \`${where}\`; see docs/gate-for-other-agents.md`,
    );
  }
  const { tool, category, standing, action, arguments: written } = result.data;
  const evidence: { documents: CaseDocument[]; facts: Fact[] } = { documents: [], facts: [] };
  const input = Object.entries(written).map(([name, argument]) => {
    const form = Object.hasOwn(catalogue, tool) ? catalogue[tool]?.arguments[name]?.form : undefined;
    return [name, proposed(argument, evidence, form)];
  });
  const proposal = { tool: tool as ToolName, input: Object.fromEntries(input) };
  const call = resolve(proposal, { evidence, circle, case: noCase, action, catalogue });
  return { call, category, standing };
}

/** The case of a call that belongs to none. */
const noCase = `c-${'0'.repeat(32)}` as CaseId;

/** An argument as a model would have written it, with the evidence that it rests on put in. */
function proposed(
  argument: z.infer<typeof argumentSchema>,
  { documents, facts }: { documents: CaseDocument[]; facts: Fact[] },
  form: ArgumentForm | undefined,
): unknown {
  if ('documents' in argument) {
    const aliases = argument.documents.map(({ name, sha256: digest }) => {
      const alias = `d${documents.length + 1}`;
      documents.push({
        id: parseSha256(digest),
        alias,
        kind: 'other',
        name,
        contentType: '',
        size: 0,
        pages: [],
      });
      return alias;
    });
    return form === 'document' && aliases.length === 1 ? aliases[0] : aliases;
  }
  if ('role' in argument) return argument.role;
  if ('items' in argument) return argument.items;
  if (!('value' in argument)) return argument;
  if (form === 'question' || form === 'reason') return argument.value;
  if (argument.trust === 'UNTRUSTED') return { text: argument.value };
  const fact = checkedFact(`f${facts.length + 1}`, argument.value);
  facts.push(fact);
  return { fact: fact.id };
}

function checkedFact(id: string, value: string): Fact<'CONTROLLED'> {
  const source = { document: sha256(value), page: 1, quote: value };
  return promote({ id, kind: 'answer', value, source, trust: 'UNTRUSTED' }, 'person-answer');
}
