import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import type { CaseDocument, Evidence } from '../../lib/evidence/types.ts';
import { type Call, callDigest } from '../../lib/proposal/call.ts';
import { toolNames } from '../../lib/proposal/catalogue.ts';
import { type ResolutionContext, resolve } from '../../lib/proposal/resolve.ts';
import { type Circle, isTrustedEntry, loadCircle } from '../../lib/provenance/circle.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { type Fact, type FactKind, promote } from '../../lib/provenance/trust.ts';

const circle = loadCircle('rules/circle.example.yaml');
const caseId = `c-${'1'.repeat(32)}` as CaseId;

const document = (alias: string): CaseDocument => ({
  id: sha256(alias),
  alias,
  kind: 'pdf',
  name: `${alias}.pdf`,
  contentType: 'application/pdf',
  size: 10,
  pages: [''],
});
const fact = (id: string, kind: FactKind, value: string, group?: string): Fact<'UNTRUSTED'> => ({
  id,
  kind,
  value,
  source: { document: sha256('d1'), page: 1, quote: value },
  trust: 'UNTRUSTED',
  ...(group === undefined ? {} : { group }),
});
const start = fact('f1', 'appointment_start', '2027-03-04T10:30:00Z', 'a1');
const evidence: Evidence = {
  documents: [document('d1'), document('d2')],
  facts: [
    promote(start, 'certain-date'),
    fact('f2', 'appointment_title', 'Cardiology review', 'a1'),
    fact('f3', 'appointment_title', 'Eye test', 'a2'),
    fact('f4', 'identifier', '2027-03-05T10:30:00Z'),
    promote(fact('f5', 'identifier', '2027-03-05T10:30:00Z'), 'person-answer'),
    fact('f6', 'appointment_title', 'x'.repeat(201), 'a1'),
    fact('f7', 'date', 'next Thursday'),
  ],
};
const context: ResolutionContext = { evidence, circle, case: caseId, action: 1 };

const letter = (input: Record<string, unknown> = {}) =>
  ({
    tool: 'send_email',
    input: {
      subject: { text: 'Records' },
      body: { text: 'Dear all' },
      to: { entry: 'hillside-records' },
      ...input,
    },
  }) as const;
const appointment = (input: Record<string, unknown> = {}) =>
  ({
    tool: 'add_appointment',
    input: { title: { fact: 'f2' }, start: { fact: 'f1' }, calendar: { entry: 'family' }, ...input },
  }) as const;
const grant = (grantee: unknown, role: unknown) =>
  ({
    tool: 'grant_access',
    input: { documents: ['d1'], expires: { text: '2027-03-04' }, grantee, role },
  }) as const;

describe('a destination', () => {
  it('is an entry of the circle when the proposal names one', () => {
    const { to } = resolve(letter(), context).arguments;
    expect(to).toMatchObject({ class: 'DESTINATION', trust: 'TRUSTED', entry: { id: 'hillside-records' } });
    expect(to !== undefined && 'entry' in to && isTrustedEntry(to.entry)).toBe(true);
  });

  it('is the entry whose very address a literal is', () => {
    const { to } = resolve(letter({ to: { literal: 'RECORDS@hillside-clinic.example' } }), context).arguments;
    expect(to).toMatchObject({ trust: 'TRUSTED', entry: { email: 'records@hillside-clinic.example' } });
  });

  it('stays a literal when it is anything else, and keeps every letter of it', () => {
    const literal = 'Hillside <records@hillside-clinic.example>';
    const { to } = resolve(letter({ to: { literal } }), context).arguments;
    expect(to).toEqual({ class: 'DESTINATION', literal, trust: 'UNTRUSTED' });
  });

  it('is not an address of another list: a person is no contact', () => {
    const { to } = resolve(letter({ to: { literal: 'maya@family.example' } }), context).arguments;
    expect(to?.trust).toBe('UNTRUSTED');
  });

  it.each([
    { entry: 'nobody' },
    { entry: 'maya' },
    { entry: 3 },
    {},
    'hillside-records',
    null,
    ['hillside-records'],
  ])('is unresolved as %j', (to) => {
    expect(() => resolve(letter({ to }), context)).toFailWithCode('CALL_UNRESOLVED');
  });
});

describe('a value', () => {
  it('has the trust of the fact that it is', () => {
    const { title, start: when } = resolve(appointment(), context).arguments;
    expect(title).toEqual({
      class: 'VALUE',
      value: 'Cardiology review',
      trust: 'UNTRUSTED',
      origin: { fact: 'f2' },
    });
    expect(when).toEqual({
      class: 'VALUE',
      value: '2027-03-04T10:30:00Z',
      trust: 'CONTROLLED',
      origin: { fact: 'f1' },
    });
  });

  it('is UNTRUSTED in the words of a model, even when they are those of a checked fact', () => {
    const { start: when } = resolve(
      appointment({ start: { text: '2027-03-04T10:30:00Z' } }),
      context,
    ).arguments;
    expect(when).toMatchObject({ trust: 'UNTRUSTED', origin: { model: true } });
  });

  it('is no checked time when the fact is not about a time', () => {
    const checked = resolve(appointment({ start: { fact: 'f5' } }), context).arguments;
    expect(checked.start?.trust).toBe('UNTRUSTED');
  });

  it.each([
    ['a fact that there is not', { title: { fact: 'f99' } }],
    ['a fact that is too long', { title: { fact: 'f6' } }],
    ['a text that is too long', { title: { text: 'x'.repeat(201) } }],
    ['a time that is none', { start: { fact: 'f7' } }],
    ['a time without an offset', { start: { text: '2027-03-04T10:30:00' } }],
    ['neither fact nor text', { title: {} }],
    ['a bare string', { title: 'Cardiology review' }],
    ['a lone surrogate', { title: { text: '\ud800' } }],
    ['an argument that the tool does not have', { colour: { text: 'red' } }],
    ['an argument that comes with every object', { constructor: { text: 'red' } }],
    ['the title of another appointment', { title: { fact: 'f3' } }],
  ])('is unresolved as %s', (_, input) => {
    expect(() => resolve(appointment(input), context)).toFailWithCode('CALL_UNRESOLVED');
  });

  it('is unresolved when a required one is missing', () => {
    expect(() =>
      resolve({ tool: 'add_appointment', input: { calendar: { entry: 'family' } } }, context),
    ).toFailWithCode('CALL_UNRESOLVED');
  });

  it('never comes from a fact that claims TRUSTED', () => {
    const claimed = { ...start, trust: 'TRUSTED' } as const;
    const forged = { ...context, evidence: { documents: [], facts: [claimed, ...evidence.facts.slice(1)] } };
    expect(() => resolve(appointment(), forged)).toFailWithCode('TRUST_REFUSED');
  });
});

describe('documents', () => {
  it('are pinned by digest', () => {
    const { attachments } = resolve(letter({ attachments: ['d2', 'd1'] }), context).arguments;
    expect(attachments).toEqual({
      class: 'VALUE',
      trust: 'UNTRUSTED',
      documents: [
        { digest: sha256('d2'), name: 'd2.pdf' },
        { digest: sha256('d1'), name: 'd1.pdf' },
      ],
    });
  });

  it.each([
    { attachments: ['d9'] },
    { attachments: ['d1', 'd1'] },
    { attachments: [1] },
    { attachments: 'd1' },
    { attachments: {} },
  ])('are unresolved as $attachments', ({ attachments }) => {
    expect(() => resolve(letter({ attachments }), context)).toFailWithCode('CALL_UNRESOLVED');
  });

  it('are one where the tool takes one', () => {
    const filing = { title: { text: 'Letter' }, folder: { entry: 'letters' } };
    const call = resolve({ tool: 'file_document', input: { ...filing, document: 'd1' } }, context);
    expect(call.arguments.document).toMatchObject({ documents: [{ name: 'd1.pdf' }] });
    expect(() =>
      resolve({ tool: 'file_document', input: { ...filing, document: ['d1'] } }, context),
    ).toFailWithCode('CALL_UNRESOLVED');
  });
});

describe('a role', () => {
  it('is TRUSTED only for the grantee that the circle lists it for', () => {
    const trustOf = (grantee: unknown, role: unknown) =>
      resolve(grant(grantee, role), context).arguments.role?.trust;
    expect(trustOf({ entry: 'hillside-records' }, 'document-reader')).toBe('TRUSTED');
    expect(trustOf({ entry: 'northgate-cardiology' }, 'document-reader')).toBe('UNTRUSTED');
    expect(trustOf({ entry: 'hillside-records' }, 'owner')).toBe('UNTRUSTED');
    expect(trustOf({ literal: 'hillside-records' }, 'document-reader')).toBe('UNTRUSTED');
  });
});

describe('the other forms', () => {
  it('are kept in the words of the model', () => {
    const asked = resolve(
      { tool: 'ask_person', input: { question: 'which_date', about: ['f1', 'f2'] } },
      context,
    );
    expect(asked.arguments).toMatchObject({
      question: { value: 'which_date' },
      about: { value: '["f1","f2"]' },
    });
    const items = [{ kind: 'transaction', name: 'Kettle', amount: 2999, currency: 'GBP' }];
    const staged = resolve({ tool: 'stage_items', input: { items } }, context);
    expect(staged.arguments.items).toMatchObject({ trust: 'UNTRUSTED', origin: { model: true } });
    expect(
      resolve({ tool: 'no_further_action', input: { reason: 'cannot_tell' } }, context).arguments.reason,
    ).toMatchObject({
      value: 'cannot_tell',
    });
  });

  it('name only facts that there are', () => {
    const asked = { tool: 'ask_person', input: { question: 'which_date', about: ['f99'] } } as const;
    expect(() => resolve(asked, context)).toFailWithCode('CALL_UNRESOLVED');
  });

  it('know no tool but those of the catalogue', () => {
    for (const tool of ['delete_everything', 'constructor', '__proto__']) {
      expect(() => resolve({ tool: tool as 'ask_person', input: {} }, context)).toFailWithCode(
        'CALL_UNRESOLVED',
      );
    }
  });
});

describe('the digest of a call', () => {
  const digestIn = (
    changed: Partial<ResolutionContext>,
    proposal: Parameters<typeof resolve>[0] = letter(),
  ) => callDigest(resolve(proposal, { ...context, ...changed }));
  const edited = (change: (circle: Circle) => void): Circle => {
    const copy = structuredClone(circle);
    change(copy);
    return copy;
  };

  it('names one call: another case, action, word, document, address or circle is another', () => {
    const digests = [
      digestIn({}),
      digestIn({ case: `c-${'2'.repeat(32)}` as CaseId }),
      digestIn({ action: 2 }),
      digestIn({}, letter({ body: { text: 'Dear all.' } })),
      digestIn({}, letter({ attachments: [] })),
      digestIn({}, letter({ attachments: ['d1'] })),
      digestIn({}, letter({ attachments: ['d2'] })),
      digestIn({}, letter({ to: { entry: 'northgate-cardiology' } })),
      digestIn({}, letter({ to: { literal: 'someone@elsewhere.example' } })),
      digestIn({
        circle: edited((copy) =>
          Object.assign(copy.contacts[0] ?? {}, { email: 'new@hillside-clinic.example' }),
        ),
      }),
      digestIn({ circle: edited((copy) => Object.assign(copy, { id: 'another-household' })) }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('does not depend on how an entry was named', () => {
    expect(digestIn({}, letter({ to: { literal: 'records@hillside-clinic.example' } }))).toBe(digestIn({}));
  });

  it('does not depend on trust, which is an opinion about the call', () => {
    const unchecked = { documents: evidence.documents, facts: [start, ...evidence.facts.slice(1)] };
    expect(digestIn({ evidence: unchecked }, appointment())).toBe(digestIn({}, appointment()));
  });
});

describe('resolving', () => {
  const input = fc.dictionary(
    fc.constantFrom(
      'title',
      'start',
      'end',
      'to',
      'body',
      'subject',
      'document',
      'documents',
      'role',
      'grantee',
      'items',
      '__proto__',
    ),
    fc.oneof(
      fc.jsonValue(),
      fc.record({ fact: fc.constantFrom('f1', 'f2', 'f9') }),
      fc.record({ entry: fc.constantFrom('hillside-records', 'family', 'letters', 'nobody') }),
      fc.record({ literal: fc.string({ unit: 'binary' }) }),
    ),
  );

  it('gives a call or CALL_UNRESOLVED, whatever a model wrote', () => {
    fc.assert(
      fc.property(fc.constantFrom(...toolNames), input, (tool, written) => {
        try {
          const call = resolve({ tool, input: written }, context);
          expect(untrustedUnlessFromCircle(call)).toBe(true);
        } catch (error) {
          expect(isCaregateError(error, 'CALL_UNRESOLVED')).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('cannot be changed afterwards', () => {
    const call = resolve(letter(), context);
    expect(() =>
      Object.assign(call.arguments, { to: { class: 'DESTINATION', literal: 'x', trust: 'UNTRUSTED' } }),
    ).toThrow(TypeError);
    expect(() => Object.assign(call.arguments.body ?? {}, { value: 'another' })).toThrow(TypeError);
  });
});

function untrustedUnlessFromCircle(call: Call): boolean {
  return Object.values(call.arguments).every(
    (argument) =>
      argument.trust !== 'TRUSTED' ||
      argument.class === 'AUTHORITY' ||
      ('entry' in argument && isTrustedEntry(argument.entry)),
  );
}
