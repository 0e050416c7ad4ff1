import * as z from 'zod';
import { sha256Schema } from '../casefile/schemas.ts';
import { quoteForPeople } from '../evidence/quote.ts';
import type { CaseDocument, Evidence } from '../evidence/types.ts';
import type { Call, DestinationArgument, ResolvedArgument } from '../proposal/call.ts';
import { callDigest } from '../proposal/call.ts';
import { catalogue, type QuestionId, questions } from '../proposal/catalogue.ts';
import type { Circle, TrustedEntry } from '../provenance/circle.ts';
import type { Fact } from '../provenance/trust.ts';
import { argumentLabels, askedSchema, dayAndTime, toolTitles, visible } from './wording.ts';

/** A place in a document of the case. Name and words are attacker-controlled, with invisible characters shown. */
const passageSchema = z.strictObject({
  document: z.string(),
  page: z.int().positive(),
  quote: z.string(),
});
export type Passage = z.infer<typeof passageSchema>;

const fileSchema = z.strictObject({ name: z.string(), sha256: sha256Schema });

const originSchema = z.discriminatedUnion('by', [
  /** An entry of the circle. The passage is what the mail says of it, where it does. */
  z.strictObject({ by: z.literal('circle'), passage: passageSchema.optional() }),
  /** Read from a document; `checked` if a validator raised the fact. */
  z.strictObject({ by: z.literal('document'), passage: passageSchema, checked: z.boolean() }),
  /** The model's own words, or its choice among what the case has. */
  z.strictObject({ by: z.literal('model'), how: z.enum(['wrote', 'chose']) }),
  /** The head of a mail that nobody verified: anyone can write anything there. */
  z.strictObject({ by: z.literal('header') }),
  /** What Caregate itself found. */
  z.strictObject({ by: z.literal('caregate') }),
]);
export type PresentedOrigin = z.infer<typeof originSchema>;

const lineSchema = z.strictObject({
  label: z.string(),
  /** The exact value, with invisible characters shown. */
  value: z.string(),
  /** The same in plain words, where the value is not plain itself. */
  plain: z.string().optional(),
  files: z.array(fileSchema).optional(),
  origin: originSchema,
});
export type PresentedLine = z.infer<typeof lineSchema>;

export const presentationSchema = z.strictObject({
  tool: askedSchema,
  title: z.string(),
  callDigest: sha256Schema,
  lines: z.array(lineSchema),
  /** The question in words, its slots filled with quotes; present for a question alone. */
  question: z
    .strictObject({ id: z.enum(Object.keys(questions) as [QuestionId, ...QuestionId[]]), text: z.string() })
    .optional(),
});

/** One exact call as a person sees it: the same data for mail, page and command line. */
export type Presentation = z.infer<typeof presentationSchema>;

/**
 * Presents a call.
 * @param evidence of the case, for where each argument comes from; attacker-controlled
 */
export function presentCall(call: Call, evidence: Evidence, circle: Circle): Presentation {
  const order = Object.keys(catalogue[call.tool].arguments);
  const rank = ([name, argument]: [string, ResolvedArgument]) =>
    argument.class === 'DESTINATION' && !isOwnPlace(argument) ? -1 : order.indexOf(name);
  const known = Object.entries(call.arguments).sort((a, b) => rank(a) - rank(b));
  return {
    tool: call.tool,
    title: toolTitles[call.tool],
    callDigest: callDigest(call),
    lines: known.map(([name, argument]) => present(name, argument, evidence, circle)),
  };
}

/** Presents a question of the closed list. Its slots hold quotes: nothing in them can be clicked or dialled. */
export function presentQuestion(call: Call, evidence: Evidence, circle: Circle): Presentation {
  const id = questionIdOf(call);
  const about = textOf(call.arguments.about);
  const ids = new Set([...about.matchAll(/f\d+/g)].map(([fact]) => fact));
  const facts = evidence.facts.filter((fact) => ids.has(fact.id));
  return {
    tool: call.tool,
    title: toolTitles[call.tool],
    callDigest: callDigest(call),
    question: { id, text: questionText(id, facts, circle) },
    lines: facts.map((fact) => ({
      label: 'The letter says',
      value: visible(fact.value),
      ...plainOf(fact.value, circle),
      origin: originOf(fact, evidence),
    })),
  };
}

/** The id of the question that a call asks. What is not on the closed list asks what to do at all. */
export function questionIdOf(call: Call): QuestionId {
  const id = textOf(call.arguments.question);
  return Object.hasOwn(questions, id) ? (id as QuestionId) : 'what_to_do';
}

function questionText(id: QuestionId, facts: readonly Fact[], circle: Circle): string {
  return questions[id].replace(/\{([01])\}/g, (_, slot: string) => {
    const fact = facts[Number(slot)];
    if (fact === undefined) return 'something that could not be read';
    return plainOf(fact.value, circle).plain ?? `“${oneLine(quoteForPeople(fact.value))}”`;
  });
}

/** A slot stands inside a sentence of ours: no line of it may begin as one of ours. */
function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ');
}

function present(
  name: string,
  argument: ResolvedArgument,
  evidence: Evidence,
  circle: Circle,
): PresentedLine {
  const label = argumentLabels[name] ?? name;
  if ('documents' in argument) {
    const files = argument.documents.map(({ digest, name: title }) => ({
      name: visible(title),
      sha256: digest,
    }));
    return {
      label,
      value: files.map((file) => file.name).join(', '),
      files,
      origin: { by: 'model', how: 'chose' },
    };
  }
  if ('value' in argument) {
    const fact = 'fact' in argument.origin ? factOf(argument.origin.fact, evidence) : undefined;
    return {
      label,
      value: visible(argument.value),
      ...plainOf(argument.value, circle),
      origin: fact === undefined ? { by: 'model', how: 'wrote' } : originOf(fact, evidence, argument.trust),
    };
  }
  if ('role' in argument)
    return { label, value: visible(argument.role), origin: { by: 'model', how: 'chose' } };
  if ('literal' in argument)
    return { label, value: visible(argument.literal), origin: { by: 'model', how: 'wrote' } };
  const { entry } = argument;
  const passage = passageAbout(entry, evidence);
  return {
    label,
    value: entry.email === undefined ? entry.name : `${entry.name} <${entry.email}>`,
    origin: passage === undefined ? { by: 'circle' } : { by: 'circle', passage },
  };
}

/** The words for a moment; anything else is plain as it is. */
function plainOf(value: string, circle: Circle): { plain?: string } {
  const isMoment = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(value);
  return isMoment ? { plain: dayAndTime(value, circle) } : {};
}

function originOf(fact: Fact, evidence: Evidence, trust = fact.trust): PresentedOrigin {
  const document = evidence.documents.find(({ id }) => id === fact.source.document);
  const { page, quote } = fact.source;
  return {
    by: 'document',
    passage: { document: nameOf(document), page, quote: visible(quote) },
    checked: trust !== 'UNTRUSTED',
  };
}

const around = 120;

/**
 * The first passage of the case that names an entry: by its address, else by its name. The entry is trusted, but
 * that it was chosen is not, so a person sees what the choice may rest on.
 */
function passageAbout(entry: TrustedEntry, { documents }: Evidence): Passage | undefined {
  for (const words of [entry.email, entry.name]) {
    if (words === undefined) continue;
    for (const document of documents) {
      const found = findIn(document, words);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function findIn(document: CaseDocument, words: string): Passage | undefined {
  for (const [index, text] of document.pages.entries()) {
    const at = text.toLowerCase().indexOf(words.toLowerCase());
    if (at < 0) continue;
    const quote = passageOf(text, at, at + words.length);
    return { document: nameOf(document), page: index + 1, quote: visible(quote) };
  }
  return undefined;
}

/** Some words with what stands around them, from one space to another: half an address would be read as another one. */
function passageOf(text: string, from: number, to: number): string {
  const [start, end] = [Math.max(0, from - around), Math.min(text.length, to + around)];
  const before = text.slice(start, from);
  const after = text.slice(to, end);
  const head = start === 0 ? before : `…${before.replace(/^\S*\s*/u, ' ')}`;
  const tail = end === text.length ? after : `${after.replace(/\s*\S*$/u, ' ')}…`;
  return `${head}${text.slice(from, to)}${tail}`.trim().toWellFormed();
}

function nameOf(document: CaseDocument | undefined): string {
  return visible(document?.name || 'the mail');
}

function factOf(id: string, evidence: Evidence): Fact | undefined {
  return evidence.facts.find((fact) => fact.id === id);
}

function textOf(argument: ResolvedArgument | undefined): string {
  return argument !== undefined && 'value' in argument ? argument.value : '';
}

/** A folder or a calendar is the household's own; whatever else a call reaches comes first on the page. */
function isOwnPlace(argument: DestinationArgument): boolean {
  return 'entry' in argument && ['folders', 'calendars'].includes(argument.entry.list);
}
