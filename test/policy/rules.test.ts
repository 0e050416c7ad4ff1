import { describe, expect, it } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import { compilePolicy, recompilePolicy, shippedEngine } from '../../lib/policy/rules.ts';
import { catalogue } from '../../lib/proposal/catalogue.ts';
import { exampleCircle, shippedPolicy, shippedSources, silent } from './shipped.ts';

const floor = `version: 1
rules:
  - id: destinations
    decision: DENY
    reason: DESTINATION_NOT_TRUSTED
    because: the circle decides
    when: { some: { class: DESTINATION, below: TRUSTED } }
  - id: authorities
    decision: DENY
    reason: AUTHORITY_NOT_TRUSTED
    because: the circle decides
    when: { some: { class: AUTHORITY, below: TRUSTED } }
`;
const rule = (lines: string): string =>
  `${floor}  - because: it is tried out\n${lines.replace(/^/gm, '    ')}\n`;
const compile = (policy: string) => () =>
  compilePolicy({ policy, constitution: silent, circle: exampleCircle });

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return isCaregateError(error) ? error.message : String(error);
  }
  return 'nothing was thrown';
}

describe('a policy file', () => {
  it.each([
    ['an empty file', '', 'line 1, column 1: the file is empty'],
    ['no rules', 'version: 1\nrules: []', 'line 2, column 1'],
    ['another version', floor.replace('version: 1', 'version: 2'), 'line 1, column 1'],
    ['an unknown key', `${floor}mode: lax\n`, 'line 13, column 1: the key `mode` is unknown'],
    [
      'an unknown key in a rule',
      rule('id: x\ndecision: ALLOW\nreason: NO_EFFECT\npriority: 1\nwhen: { tool: ask_person }'),
      'line 17, column 5: the key `priority` is unknown',
    ],
    [
      'an unknown condition',
      rule('id: x\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { weather: fair }'),
      'line 17, column 13: the key `weather` is unknown',
    ],
    [
      'an unknown tool',
      rule('id: x\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { tool: [ask_person, erase] }'),
      'line 17, column 5: rule `x` names the unknown tool `erase`',
    ],
    [
      'a tool that every object has',
      rule('id: x\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { tool: constructor }'),
      'names the unknown tool `constructor`',
    ],
    [
      'an unknown category',
      rule('id: x\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { category: gossip }'),
      'line 17, column 13',
    ],
    [
      'an unknown argument',
      rule(
        'id: x\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { tool: ask_person, some: { argument: to, below: TRUSTED } }',
      ),
      'names the argument `to`, which none of its tools has',
    ],
    [
      'a condition on no argument',
      rule(
        'id: x\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { tool: ask_person, all: { form: time, atLeast: CONTROLLED } }',
      ),
      'means no argument of its tools',
    ],
    [
      'a condition that asks nothing',
      rule(
        'id: x\ndecision: ALLOW\nreason: HOUSEHOLD_RULE\nwhen: { tool: send_email, some: { class: DESTINATION } }',
      ),
      'asks nothing of the arguments',
    ],
    [
      'a bound that bounds nothing',
      rule('id: x\ndecision: ALLOW\nreason: HOUSEHOLD_RULE\nwhen: { documents: {} }'),
      'line 17, column 13',
    ],
    [
      'an unknown reason',
      rule('id: x\ndecision: ALLOW\nreason: BECAUSE\nwhen: { tool: ask_person }'),
      'line 16, column 5',
    ],
    [
      'a reason for another decision',
      rule('id: x\ndecision: ALLOW\nreason: TOO_MANY_ACTIONS\nwhen: { tool: ask_person }'),
      'line 16, column 5: rule `x` gives `TOO_MANY_ACTIONS`, which is no reason for ALLOW',
    ],
    [
      'an id that stands twice',
      rule('id: destinations\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { tool: ask_person }'),
      'line 14, column 5: rule `destinations` has the id of another rule',
    ],
    [
      'a rule that stands twice',
      rule(
        'id: x\ndecision: DENY\nreason: HOUSEHOLD_RULE\nwhen: { some: { class: DESTINATION, below: TRUSTED } }',
      ),
      'line 17, column 5: rule `x` says the same as `destinations`',
    ],
    [
      'a question to nobody',
      rule('id: x\ndecision: REQUIRE_HUMAN\nreason: HOUSEHOLD_RULE\nwhen: { tool: send_email }'),
      'needs `consent` if it is REQUIRE_HUMAN',
    ],
    [
      'a consent that nothing asks for',
      rule(
        'id: x\ndecision: ALLOW\nreason: NO_EFFECT\nconsent: { people: 1, roles: [owner] }\nwhen: { tool: ask_person }',
      ),
      'must not have it otherwise',
    ],
    [
      'a rule that can never decide, since no destination is that trusted',
      rule(
        'id: x\ndecision: DENY\nreason: HOUSEHOLD_RULE\nwhen: { some: { class: VALUE, atLeast: TRUSTED } }',
      ),
      'line 14, column 5: rule `x` can never decide',
    ],
    [
      'a rule that another always outweighs',
      `${rule('id: x\ndecision: ALLOW\nreason: HOUSEHOLD_RULE\nwhen: { tool: send_email }')}  - { id: y, decision: DENY, reason: HOUSEHOLD_RULE, because: never, when: { tool: [send_email, ask_person] } }\n`,
      'rule `x` can never decide',
    ],
    [
      'a destination that is not denied',
      floor
        .replace('below: TRUSTED', 'below: CONTROLLED')
        .concat(
          '  - { id: x, decision: ALLOW, reason: FILING_IS_SAFE, because: it is tried out, when: { tool: file_document } }\n',
        ),
      'the rules would ALLOW `file_document` with a `folder` below TRUSTED',
    ],
    [
      'an authority that is not denied',
      `${floor.slice(0, floor.indexOf('  - id: authorities'))}  - { id: x, decision: ALLOW, reason: HOUSEHOLD_RULE, because: it is tried out, when: { tool: grant_access } }\n`,
      'with a `role` below TRUSTED',
    ],
    [
      'a rule that prefers what nobody checked',
      rule(
        'id: x\ndecision: ALLOW\nreason: HOUSEHOLD_RULE\nwhen: { tool: add_appointment, some: { form: time, below: CONTROLLED } }',
      ),
      'with an unchecked `start`, but DENY it with a checked one',
    ],
    ['an anchor', floor.replace('rules:', 'rules: &rules'), 'line 3, column 3: anchors and aliases'],
    ['what is not YAML', 'rules: [', 'line 1, column'],
    ['a key that stands twice', `${floor}version: 1\n`, 'map keys must be unique'],
  ])('is refused for %s', (_, policy, where) => {
    expect(compile(policy)).toFailWithCode('CONFIGURATION_INVALID');
    expect(messageOf(compile(policy))).toContain(where);
  });

  it('may be large, but not so large that nobody can check it', () => {
    const argument = ['title', 'start', 'end', 'place', 'uid'].map(
      (name, index) =>
        `  - { id: x-${index}, decision: ALLOW, reason: HOUSEHOLD_RULE, because: many, when: { all: { argument: ${name}, origin: fact, atLeast: CONTROLLED }, documents: { above: ${index} }, items: { above: ${index} }, amount: { above: ${index} } } }\n`,
    );
    expect(messageOf(compile(floor + argument.join('')))).toContain('more requests than can be checked');
  });

  it('shares no id with the constitution', () => {
    const constitution =
      "version: 1\nname: twin\nrules: [{ id: '1', text: twin, severity: low, keywords: [twin] }]\n";
    const policy = rule("id: '1'\ndecision: ALLOW\nreason: NO_EFFECT\nwhen: { tool: ask_person }");
    expect(compile(policy)).not.toThrow();
    expect(() => compilePolicy({ policy, constitution, circle: exampleCircle })).toFailWithCode(
      'CONFIGURATION_INVALID',
    );
  });
});

describe('the digest of a policy', () => {
  const digestWith = (changed: Partial<typeof shippedSources>) =>
    compilePolicy({ ...shippedSources, ...changed }).digest;

  it('covers everything that decides', () => {
    const digests = [
      shippedPolicy.digest,
      digestWith({ policy: shippedSources.policy.replace('roles: [owner, caregiver]', 'roles: [owner]') }),
      digestWith({ constitution: shippedSources.constitution.replace('passphrase, ', '') }),
      digestWith({ constitution: shippedSources.constitution.replace('{16,}', '{17,}') }),
      digestWith({
        constitution: shippedSources.constitution.replace(
          'severity: low',
          'severity: low\n    enabled: false',
        ),
      }),
      digestWith({ constitution: shippedSources.constitution.replace('onReview: ask', 'onReview: deny') }),
      digestWith({ circle: { ...exampleCircle, timezone: 'Europe/Berlin' } }),
      digestWith({ catalogue: { ...catalogue, ask_person: { ...catalogue.ask_person, effect: true } } }),
      compilePolicy(shippedSources, { ...shippedEngine, literals: 'promoted' }).digest,
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('is found again from the record', () => {
    const record: unknown = JSON.parse(JSON.stringify(shippedPolicy.sources));
    expect(recompilePolicy(record).digest).toBe(shippedPolicy.digest);
  });

  it('is not found from what is no record', () => {
    expect(() => recompilePolicy({ policy: 'rules' })).toFailWithCode('INVALID_INPUT');
  });
});
