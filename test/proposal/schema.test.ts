import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import { modelFamilies } from '../../lib/model/models.ts';
import { type ArgumentSpec, catalogue, toolNames } from '../../lib/proposal/catalogue.ts';
import { parseProposal, toolSpecifications } from '../../lib/proposal/schema.ts';
import { canonicalJson } from '../../lib/provenance/canonical.ts';

const appointment = {
  title: { fact: 'f1' },
  start: { fact: 'f2' },
  place: { text: 'Level 2' },
  calendar: { entry: 'family' },
};
const letter = {
  subject: { text: 'Form' },
  body: { text: 'Dear all,\n\nhere it is.' },
  to: { literal: 'x@y.example' },
};

describe('a proposal', () => {
  it('that fits its tool is taken as it is', () => {
    expect(parseProposal('add_appointment', appointment)).toEqual({
      tool: 'add_appointment',
      input: appointment,
    });
    expect(parseProposal('send_email', letter)).toEqual({ tool: 'send_email', input: letter });
    expect(parseProposal('no_further_action', { reason: 'everything_done' }).tool).toBe('no_further_action');
  });

  it.each([
    '',
    'ADD_APPOINTMENT',
    'add_appointment ',
    'delete_everything',
    'constructor',
    '__proto__',
    'toString',
  ])('for the tool %j is for no tool of the catalogue', (tool) => {
    expect(() => parseProposal(tool, {})).toFailWithCode('MODEL_UNKNOWN_TOOL');
  });
});

const date = '2027-03-04';
const time = (text: unknown) => ({ ...appointment, start: { text } });
const body = (text: unknown) => ({ ...letter, body: { text } });
const subject = (text: unknown) => ({ ...letter, subject: { text } });
const items = (...list: unknown[]) => ({ items: list });
const item = { kind: 'transaction', name: 'Washing machine' };

describe('arguments at the boundary', () => {
  it.each<[string, string, unknown]>([
    ['an instant with offset', 'add_appointment', time('2027-03-04T10:30:00+01:00')],
    ['an instant in UTC', 'add_appointment', time('2027-03-04T10:30:00Z')],
    ['a date', 'add_appointment', time(date)],
    ['a body of 5,000 units', 'send_email', body('x'.repeat(5000))],
    ['a subject of 200 units', 'send_email', subject('x'.repeat(200))],
    ['no attachments', 'send_email', { ...letter, attachments: [] }],
    [
      'twenty attachments',
      'send_email',
      { ...letter, attachments: Array.from({ length: 20 }, (_, n) => `d${n + 1}`) },
    ],
    ['a question about nothing', 'ask_person', { question: 'what_to_do' }],
    ['one item', 'stage_items', items(item)],
    ['twenty items', 'stage_items', items(...Array(20).fill(item))],
    ['an amount with its currency', 'stage_items', items({ ...item, amount: 42900, currency: 'GBP' })],
  ])('%s is accepted', (_, tool, input) => {
    expect(parseProposal(tool, input).input).toEqual(input);
  });

  it.each<[string, string, unknown]>([
    ['a local time without offset', 'add_appointment', time('2027-03-04T10:30:00')],
    ['a day that does not exist', 'add_appointment', time('2027-02-30')],
    ['a date in words', 'add_appointment', time('4 March 2027')],
    ['a number as time', 'add_appointment', time(1_804_000_000)],
    ['a body of 5,001 units', 'send_email', body('x'.repeat(5001))],
    ['a blank body', 'send_email', body(' \n')],
    ['a body with half a character', 'send_email', body('\ud83d')],
    ['a body with a NUL', 'send_email', body('a\u0000b')],
    ['a subject of two lines', 'send_email', subject('a\nBcc: x@y.example')],
    ['a fact and a text at once', 'send_email', { ...letter, subject: { fact: 'f1', text: 'x' } }],
    ['a bare text', 'send_email', { ...letter, subject: 'x' }],
    ['a bare address', 'send_email', { ...letter, to: 'x@y.example' }],
    ['two destinations', 'send_email', { ...letter, to: [{ entry: 'a' }, { entry: 'b' }] }],
    [
      'an entry and a literal at once',
      'send_email',
      { ...letter, to: { entry: 'a', literal: 'x@y.example' } },
    ],
    ['an entry that is no id', 'send_email', { ...letter, to: { entry: '../a' } }],
    ['a document twice', 'send_email', { ...letter, attachments: ['d1', 'd1'] }],
    ['a document by name', 'send_email', { ...letter, attachments: ['letter.pdf'] }],
    ['a missing argument', 'send_email', { subject: letter.subject, body: letter.body }],
    ['an argument too many', 'send_email', { ...letter, bcc: { literal: 'x@y.example' } }],
    ['null for what is left out', 'send_email', { ...letter, attachments: null }],
    ['a fact that is no fact', 'add_appointment', { ...appointment, title: { fact: 'f0' } }],
    ['an open question', 'ask_person', { question: 'Shall I pay?' }],
    [
      'five facts in a question',
      'ask_person',
      { question: 'which_date', about: ['f1', 'f2', 'f3', 'f4', 'f5'] },
    ],
    ['a reason of its own', 'no_further_action', { reason: 'tired' }],
    [
      'no documents to grant',
      'grant_access',
      { documents: [], expires: { text: date }, grantee: { entry: 'a' }, role: 'r' },
    ],
    ['no items', 'stage_items', items()],
    ['twenty-one items', 'stage_items', items(...Array(21).fill(item))],
    ['an amount in fractions', 'stage_items', items({ ...item, amount: 4.29, currency: 'GBP' })],
    ['an amount without currency', 'stage_items', items({ ...item, amount: 42900 })],
    ['an item of no kind', 'stage_items', items({ kind: 'loan', name: 'x' })],
    ['a field of another kind', 'stage_items', items({ ...item, trialEnds: date })],
    ['JSON in a text', 'no_further_action', '{"reason":"everything_done"}'],
    ['nothing', 'no_further_action', undefined],
    ['null', 'no_further_action', null],
    ['a list', 'no_further_action', ['everything_done']],
  ])('%s is refused', (_, tool, input) => {
    expect(() => parseProposal(tool, input)).toFailWithCode('MODEL_INVALID_ARGUMENTS');
  });

  it('an error repeats nothing that the model wrote', () => {
    const secret = 'the secret of Rosa';
    try {
      parseProposal('send_email', { ...letter, [secret]: secret, to: { literal: secret, entry: secret } });
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('Rosa');
    }
  });
});

const argument = fc.oneof(
  fc.record({ fact: fc.constantFrom('f1', 'f99', 'x', '') }),
  fc.record({ text: fc.string({ unit: 'binary', maxLength: 8 }) }),
  fc.record({ entry: fc.constantFrom('family', 'x@y.example', '__proto__') }),
  fc.record({ literal: fc.string({ maxLength: 8 }) }),
  fc.constantFrom('d1', 'what_to_do', 'everything_done', '2027-03-04', 'viewer'),
  fc.array(fc.constantFrom('d1', 'd2', 'f1', 7), { maxLength: 3 }),
);
const names = [...new Set(toolNames.flatMap((tool) => Object.keys(catalogue[tool].arguments)))];
const plausible = fc.dictionary(fc.constantFrom(...names, '__proto__', 'constructor'), argument, {
  maxKeys: 8,
});
const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });

describe('whatever a model writes', () => {
  it('no output yields a proposal that is not valid: it is one of the two typed errors or fits the catalogue', () => {
    const output = fc.tuple(
      fc.oneof(fc.constantFrom(...toolNames), fc.string()),
      fc.oneof(plausible, anything),
    );
    fc.assert(
      fc.property(output, ([tool, input]) => {
        try {
          const proposal = parseProposal(tool, input);
          const specs: Record<string, ArgumentSpec> = catalogue[proposal.tool].arguments;
          for (const name of Object.keys(proposal.input)) expect(Object.hasOwn(specs, name)).toBe(true);
          for (const [name, spec] of Object.entries(specs)) {
            if (spec.optional !== true) expect(proposal.input[name]).toBeDefined();
          }
          expect(() => canonicalJson(proposal.input)).not.toThrow();
          // Nothing is repaired or filled in: what came out is what went in.
          expect(proposal.input).toEqual(input);
        } catch (error) {
          if (
            isCaregateError(error, 'MODEL_UNKNOWN_TOOL') ||
            isCaregateError(error, 'MODEL_INVALID_ARGUMENTS')
          )
            return;
          throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('a tool with arguments never takes those of another for its own', () => {
    for (const tool of toolNames) {
      for (const other of toolNames) {
        const [a, b] = [catalogue[tool].arguments, catalogue[other].arguments];
        if (tool === other || canonicalJson(a) === canonicalJson(b)) continue;
        const input = examples[other];
        expect(() => parseProposal(tool, input)).toFailWithCode('MODEL_INVALID_ARGUMENTS');
      }
    }
  });
});

const examples: Record<(typeof toolNames)[number], Record<string, unknown>> = {
  file_document: { document: 'd1', title: { text: 'x' }, folder: { entry: 'a' } },
  add_appointment: appointment,
  change_appointment: appointment,
  cancel_appointment: appointment,
  send_email: letter,
  upload_to_portal: { document: 'd1', portal: { entry: 'a' } },
  grant_access: { documents: ['d1'], expires: { text: date }, grantee: { entry: 'a' }, role: 'viewer' },
  book_appointment: {
    reason: { text: 'x' },
    start: { text: date },
    end: { text: date },
    provider: { entry: 'a' },
  },
  stage_items: items(item),
  ask_person: { question: 'what_to_do' },
  no_further_action: { reason: 'everything_done' },
};

describe('the tools as a model is told them', () => {
  it.each(toolNames)('%s has an example that is accepted', (tool) => {
    expect(parseProposal(tool, examples[tool]).tool).toBe(tool);
  });

  it.each(modelFamilies)(
    'all tools of the catalogue are offered to %s, in names that every family takes',
    (family) => {
      const specifications = toolSpecifications(family);
      expect(specifications.map(({ name }) => name)).toEqual(toolNames);
      // Nova cannot use a tool whose name has a hyphen.
      for (const { name, description } of specifications) {
        expect(name).toMatch(/^[a-z_]{1,64}$/);
        expect(description).toMatch(/\.$/);
      }
    },
  );
});

type Schema = { [key: string]: unknown };
const schemaOf = (specification: { inputSchema?: unknown }) =>
  (specification.inputSchema as { json: Schema }).json;

/** Every object in a JSON value. */
function nodes(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(nodes);
  return Array.isArray(value) ? inner : [value as Schema, ...inner];
}

describe('the dialect of a family', () => {
  it("Nova's top level holds type, properties and required only, and no choice between schemas", () => {
    for (const specification of toolSpecifications('nova')) {
      expect(Object.keys(schemaOf(specification)).sort()).toEqual(['properties', 'required', 'type']);
      for (const node of nodes(schemaOf(specification))) expect(node).not.toHaveProperty('anyOf');
    }
  });

  it('Claude gets no lengths and counts, and closed objects', () => {
    for (const specification of toolSpecifications('claude')) {
      expect(schemaOf(specification)).toMatchObject({ additionalProperties: false });
      for (const node of nodes(schemaOf(specification))) {
        for (const bound of [
          'minLength',
          'maxLength',
          'minItems',
          'maxItems',
          'minimum',
          'maximum',
          'pattern',
        ]) {
          expect(node).not.toHaveProperty(bound);
        }
      }
    }
  });

  it('every other model gets the bounds of the catalogue', () => {
    const send = toolSpecifications('other').find(({ name }) => name === 'send_email');
    const bounds = nodes(send).flatMap((node) => node.maxLength ?? []);
    expect(bounds).toContain(5000);
  });

  it.each(modelFamilies)('the same arguments are named and required for %s', (family) => {
    for (const specification of toolSpecifications(family)) {
      const specs: Record<string, ArgumentSpec> =
        catalogue[specification.name as (typeof toolNames)[number]].arguments;
      const schema = schemaOf(specification);
      expect(Object.keys(schema.properties as Schema)).toEqual(Object.keys(specs));
      const required = Object.entries(specs).filter(([, spec]) => spec.optional !== true);
      expect(schema.required).toEqual(required.map(([name]) => name));
      const encoded = JSON.stringify(schema);
      expect(JSON.parse(encoded)).toEqual(schema);
      expect(encoded).not.toMatch(/undefined|\$ref/);
    }
  });
});
