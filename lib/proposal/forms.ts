import * as z from 'zod';
import type { Json } from '../provenance/canonical.ts';
import { type ArgumentForm, type ArgumentSpec, questions, stopReasons } from './catalogue.ts';
import { itemJsonSchema, itemSchema, mostItems } from './items.ts';

/** How one form of argument is checked, and how it is described to a model. */
interface Form {
  readonly check: (spec: ArgumentSpec) => z.ZodType;
  readonly describe: (spec: ArgumentSpec) => { readonly [key: string]: Json };
}

// Above this a text has paragraphs (the body of a letter). Below it goes into one line of a mail, a calendar or a page.
const longestLine = 1000;

const factId = z.string().regex(/^f[1-9]\d{0,5}$/);
const documentAlias = z.string().regex(/^d[1-9]\d{0,5}$/);
const entryId = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);

/** Words that can be stored, shown and digested as they are: no lone surrogates, no control characters. */
function wordsOf(longest: number): z.ZodType<string> {
  const control = longest > longestLine ? /[\p{Cc}--[\t\n\r]]/v : /\p{Cc}/v;
  return z
    .string()
    .max(longest)
    .refine((text) => text.trim() !== '' && text.isWellFormed() && !control.test(text), 'is not plain text');
}

const unique = (list: readonly string[]) => new Set(list).size === list.length;
const listOf = (element: z.ZodType<string>, least: number, most: number) =>
  z.array(element).min(least).max(most).refine(unique, 'names one twice');

/** Exactly one of several ways to write an argument. */
function oneOf(says: string, ways: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  return {
    description: says,
    anyOf: Object.entries(ways).map(([key, schema]) => ({
      type: 'object',
      properties: { [key]: schema },
      required: [key],
      additionalProperties: false,
    })),
  };
}

const factJson = { type: 'string', description: 'the id of a fact, such as f1' };
const strings = (spec: ArgumentSpec, description: string, least: number, most: number) => ({
  type: 'array',
  description: spec.says,
  items: { type: 'string', description },
  minItems: least,
  maxItems: most,
});
const least = (spec: ArgumentSpec) => (spec.optional === true ? 0 : 1);

/** Every form in which a model writes an argument. */
export const forms: { readonly [form in ArgumentForm]: Form } = {
  text: {
    check: (spec) =>
      z.union([z.strictObject({ fact: factId }), z.strictObject({ text: wordsOf(spec.longest ?? 300) })]),
    describe: (spec) =>
      oneOf(`${spec.says}: a fact where one says it, else your own words`, {
        fact: factJson,
        text: { type: 'string', minLength: 1, maxLength: spec.longest ?? 300 },
      }),
  },
  time: {
    check: () =>
      z.union([
        z.strictObject({ fact: factId }),
        z.strictObject({ text: z.union([z.iso.datetime({ offset: true }), z.iso.date()]) }),
      ]),
    describe: (spec) =>
      oneOf(`${spec.says}: a fact wherever one says it`, {
        fact: factJson,
        text: {
          type: 'string',
          description: 'ISO 8601 with zone offset, such as 2027-03-04T10:30:00+01:00, or a date',
        },
      }),
  },
  document: {
    check: () => documentAlias,
    describe: (spec) => ({ type: 'string', description: `${spec.says}: its alias, such as d1` }),
  },
  documents: {
    check: (spec) => listOf(documentAlias, least(spec), 20),
    describe: (spec) => strings(spec, 'the alias of a document, such as d1', least(spec), 20),
  },
  entry: {
    check: () => z.union([z.strictObject({ entry: entryId }), z.strictObject({ literal: wordsOf(320) })]),
    describe: (spec) =>
      oneOf(spec.says, {
        entry: { type: 'string', description: `an id of the list \`${spec.list ?? 'circle'}\`` },
        literal: { type: 'string', description: 'only if no entry fits: what the document says' },
      }),
  },
  role: {
    check: () => wordsOf(100),
    describe: (spec) => ({ type: 'string', description: spec.says }),
  },
  question: {
    check: () => z.enum(Object.keys(questions)),
    describe: () => ({ type: 'string', enum: Object.keys(questions), description: questionsText }),
  },
  facts: {
    check: (spec) => listOf(factId, least(spec), 4),
    describe: (spec) => strings(spec, 'the id of a fact, such as f1', least(spec), 4),
  },
  reason: {
    check: () => z.enum(stopReasons),
    describe: (spec) => ({ type: 'string', enum: [...stopReasons], description: spec.says }),
  },
  items: {
    check: () => z.array(itemSchema).min(1).max(mostItems),
    describe: (spec) => ({
      type: 'array',
      description: spec.says,
      items: itemJsonSchema,
      minItems: 1,
      maxItems: mostItems,
    }),
  },
};

const questionsText = Object.entries(questions)
  .map(([id, text]) => `${id}: ${text}`)
  .join(' ');
