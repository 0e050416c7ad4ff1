import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCall } from '../../lib/policy/callfile.ts';
import { type GateRequest, gate, isGatesDecision } from '../../lib/policy/gate.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { type Call, callDigest } from '../../lib/proposal/call.ts';
import { type Circle, trustedEntry } from '../../lib/provenance/circle.ts';
import { exampleCircle, now, shippedPolicy, shippedSources, silent } from './shipped.ts';

const letterWith = (body: string, to: object = { entry: 'hillside-records' }): GateRequest => ({
  ...readCall(
    { tool: 'send_email', arguments: { to, subject: { value: 'Records' }, body: { value: body } } },
    exampleCircle,
  ),
  now,
});
const letter = letterWith('Dear colleagues');
const withArguments = (changed: Record<string, unknown>): GateRequest => ({
  ...letter,
  call: { ...letter.call, arguments: { ...letter.call.arguments, ...changed } as Call['arguments'] },
});
const circleWith = (change: (circle: Circle) => void): Circle => {
  const copy = structuredClone(exampleCircle);
  change(copy);
  return copy;
};

describe('the gate', () => {
  it('says what it decided, why, by which rules, and on what', () => {
    expect(gate(shippedPolicy, letter)).toEqual({
      outcome: 'REQUIRE_HUMAN',
      reason: 'LEAVES_THE_HOUSEHOLD',
      matched: ['letter-leaves'],
      deciding: ['letter-leaves'],
      warnings: [],
      consent: { people: 1, roles: ['owner', 'caregiver'] },
      alert: false,
      policyDigest: shippedPolicy.digest,
      callDigest: callDigest(letter.call),
    });
  });

  it('gives the same decision on the same call, and remembers that it was its own', () => {
    const [one, other] = [gate(shippedPolicy, letter), gate(shippedPolicy, letter)];
    expect(one).toEqual(other);
    expect(isGatesDecision(one)).toBe(true);
    expect(isGatesDecision({ ...one })).toBe(false);
    expect(() => Object.assign(one, { outcome: 'ALLOW' })).toThrow(TypeError);
  });

  it('names every rule that matched, those of the policy first', () => {
    const decision = gate(
      shippedPolicy,
      letterWith('The password, at https://x.example, act now', { literal: 'x@y.example' }),
    );
    expect(decision).toMatchObject({
      outcome: 'DENY',
      reason: 'DESTINATION_NOT_TRUSTED',
      matched: [
        'destination-outside-circle',
        'letter-leaves',
        'CARE-LINKS',
        'CARE-PRESSURE',
        'CARE-SECRET-WORDS',
      ],
      deciding: ['destination-outside-circle', 'CARE-SECRET-WORDS'],
      warnings: ['CARE-PRESSURE'],
    });
  });

  it('asks for what both the policy and the constitution ask for', () => {
    expect(gate(shippedPolicy, letterWith('About the power of attorney'))).toMatchObject({
      outcome: 'REQUIRE_HUMAN',
      reason: 'LEAVES_THE_HOUSEHOLD',
      deciding: ['letter-leaves', 'CARE-SCOPE'],
      consent: { people: 1, roles: ['owner'] },
    });
  });

  it('asks for the strictest of all consents, and denies when nobody could give them', () => {
    const asking = (id: string, people: number, roles: string) =>
      `  - { id: ${id}, decision: REQUIRE_HUMAN, reason: HOUSEHOLD_RULE, because: tried out, when: { tool: send_email, category: [other, ${id}] }, consent: { people: ${people}, roles: ${roles} } }\n`;
    const decide = (more: string, circle = exampleCircle) => {
      const policy = compilePolicy({ ...shippedSources, circle, policy: shippedSources.policy + more });
      const { call } = readCall(
        {
          tool: 'send_email',
          arguments: { to: { entry: 'hillside-records' }, subject: { value: 'a' }, body: { value: 'b' } },
        },
        circle,
      );
      return gate(policy, { ...letter, call });
    };
    expect(decide(asking('bill', 2, '[owner, caregiver]'))).toMatchObject({
      consent: { people: 2, roles: ['owner', 'caregiver'] },
    });
    expect(decide(asking('bill', 1, '[viewer]'))).toMatchObject({
      outcome: 'DENY',
      reason: 'NOBODY_ENTITLED',
    });
    expect(decide(asking('bill', 3, '[owner, caregiver]'))).toMatchObject({
      outcome: 'DENY',
      reason: 'NOBODY_ENTITLED',
    });
    const alone = circleWith((copy) => copy.people.splice(1));
    expect(decide(asking('bill', 2, '[owner, caregiver]'), alone)).toMatchObject({
      reason: 'NOBODY_ENTITLED',
      outcome: 'DENY',
    });
  });

  it('believes no label: an entry that did not come out of the circle is no destination', () => {
    const { to } = letter.call.arguments;
    const entry = to !== undefined && 'entry' in to ? to.entry : undefined;
    const forgeries = [
      { class: 'DESTINATION', trust: 'TRUSTED', entry: { ...entry } },
      { class: 'DESTINATION', trust: 'TRUSTED', literal: 'records@hillside-clinic.example' },
      { class: 'DESTINATION', trust: 'TRUSTED', entry: trustedEntry(exampleCircle, 'people', 'maya') },
      { class: 'DESTINATION', trust: 'TRUSTED', entry: null },
    ];
    for (const forged of forgeries)
      expect(gate(shippedPolicy, withArguments({ to: forged })).outcome).toBe('DENY');
  });

  it('asks the circle of today: an entry that was changed or removed since is no destination', () => {
    const later = (change: (circle: Circle) => void) =>
      gate(compilePolicy({ ...shippedSources, circle: circleWith(change) }), letter);
    expect(later(() => undefined).outcome).toBe('REQUIRE_HUMAN');
    expect(
      later((copy) =>
        copy.contacts.splice(0, 1, {
          id: 'hillside-records',
          name: 'Hillside Clinic records office',
          email: 'new@hillside-clinic.example',
        }),
      ).reason,
    ).toBe('DESTINATION_NOT_TRUSTED');
    expect(
      later((copy) => {
        copy.contacts.splice(0, 1);
        copy.grants.splice(0);
      }).reason,
    ).toBe('DESTINATION_NOT_TRUSTED');
  });

  it('derives a role anew: what the circle does not list is denied, whatever the call says', () => {
    const granting = (role: string) => {
      const written = {
        documents: { documents: [{ name: 'a.pdf', sha256: 'a1'.repeat(32) }] },
        expires: { value: '2027-03-04' },
        grantee: { entry: 'hillside-records' },
        role: { role },
      };
      const { call } = readCall({ tool: 'grant_access', arguments: written }, exampleCircle);
      const claimed = {
        ...call.arguments,
        role: { class: 'AUTHORITY', role, trust: 'TRUSTED' },
      } as Call['arguments'];
      return gate(shippedPolicy, { ...letter, call: { ...call, arguments: claimed } });
    };
    expect(granting('document-reader').outcome).toBe('REQUIRE_HUMAN');
    expect(granting('owner')).toMatchObject({ outcome: 'DENY', reason: 'AUTHORITY_NOT_TRUSTED' });
  });

  it('takes no value at more than a fact can have', () => {
    const adding = (start: object) => {
      const { call } = readCall(
        {
          tool: 'add_appointment',
          arguments: { title: { value: 'a' }, start: { value: '2027-03-04' }, calendar: { entry: 'family' } },
        },
        exampleCircle,
      );
      return gate(shippedPolicy, {
        ...letter,
        call: { ...call, arguments: { ...call.arguments, start } as Call['arguments'] },
      });
    };
    const value = { class: 'VALUE', value: '2027-03-04' };
    expect(adding({ ...value, trust: 'CONTROLLED', origin: { fact: 'f1' } }).outcome).toBe('ALLOW');
    expect(adding({ ...value, trust: 'CONTROLLED', origin: { model: true } }).outcome).toBe('REQUIRE_HUMAN');
    expect(adding({ ...value, trust: 'TRUSTED', origin: { fact: 'f1' } }).outcome).toBe('REQUIRE_HUMAN');
  });

  it.each([
    ['a tool that there is not', { call: { ...letter.call, tool: 'erase' } }],
    ['a tool that every object has', { call: { ...letter.call, tool: 'constructor' } }],
    [
      'an argument that the tool does not have',
      { call: withArguments({ cc: letter.call.arguments.to }).call },
    ],
    ['an argument of another class', { call: withArguments({ to: letter.call.arguments.body }).call }],
    ['a missing argument', { call: { ...letter.call, arguments: {} } }],
    ['no action', { call: { ...letter.call, action: 0 } }],
    ['half an action', { call: { ...letter.call, action: 1.5 } }],
    ['no category', { category: 'gossip' }],
    ['a mail that was not admitted', { standing: 'quarantined' }],
    ['no time', { now: Number.NaN }],
    [
      'text that has no digest',
      { call: withArguments({ body: { ...letter.call.arguments.body, value: '\ud800' } }).call },
    ],
    ['nothing at all', { call: undefined }],
  ])('denies %s', (_, changed) => {
    const decision = gate(shippedPolicy, { ...letter, ...changed } as unknown as GateRequest);
    expect(decision).toMatchObject({
      outcome: 'DENY',
      reason: 'EVALUATION_FAILED',
      matched: [],
      alert: false,
    });
  });

  it('denies when a rule throws', () => {
    const broken = {
      ...shippedPolicy,
      constitution: {
        ids: new Set<string>(),
        evaluate: () => {
          throw new TypeError('broken');
        },
      },
    };
    expect(gate(broken, letter)).toMatchObject({ outcome: 'DENY', reason: 'EVALUATION_FAILED' });
  });

  it('never throws, and allows nothing that is not a call', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (call, category) => {
        const decision = gate(shippedPolicy, {
          call,
          category,
          standing: 'accepted',
          now,
        } as unknown as GateRequest);
        expect(decision.outcome).toBe('DENY');
      }),
      { numRuns: 500 },
    );
  });

  it('never tells what a mail or a model wrote', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{12,20}$/), (word) => {
        expect(
          JSON.stringify(gate(shippedPolicy, letterWith(word, { literal: `${word}@x.example` }))),
        ).not.toContain(word);
      }),
    );
  });

  it('counts documents, items and amounts, for rules that ask', () => {
    const more = [
      '  - { id: bulky, decision: DENY, reason: HOUSEHOLD_RULE, because: tried out, when: { documents: { above: 1 } } }',
      '  - { id: dear, decision: DENY, reason: HOUSEHOLD_RULE, because: tried out, when: { amount: { above: 5000 } } }',
      '  - { id: many, decision: DENY, reason: HOUSEHOLD_RULE, because: tried out, when: { items: { above: 2 } } }',
    ].join('\n');
    const policy = compilePolicy({
      ...shippedSources,
      policy: `${shippedSources.policy}${more}\n`,
      constitution: silent,
    });
    const outcomeOf = (tool: string, args: object) =>
      gate(policy, { ...letter, ...readCall({ tool, arguments: args }, exampleCircle) }).matched;
    const items = (...amounts: number[]) => ({
      items: {
        items: amounts.map((amount) => ({ kind: 'transaction', name: 'x', amount, currency: 'GBP' })),
      },
    });
    const documents = (count: number) => ({
      to: { entry: 'hillside-records' },
      subject: { value: 'a' },
      body: { value: 'b' },
      attachments: {
        documents: Array.from({ length: count }, (_, n) => ({ name: `${n}`, sha256: `${n}`.repeat(64) })),
      },
    });
    expect(outcomeOf('stage_items', items(5000, 1))).toEqual(['staging']);
    expect(outcomeOf('stage_items', items(1, 5001))).toEqual(['dear', 'staging']);
    expect(outcomeOf('stage_items', items(-5001))).toEqual(['dear', 'staging']);
    expect(outcomeOf('stage_items', items(1, 1, 1))).toEqual(['many', 'staging']);
    expect(outcomeOf('send_email', documents(1))).toEqual(['letter-leaves']);
    expect(outcomeOf('send_email', documents(2))).toEqual(['bulky', 'letter-leaves']);
  });
});
