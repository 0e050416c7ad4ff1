import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isCaregateError } from '../../lib/errors.ts';
import { compileConstitution, type TextContext } from '../../lib/policy/textrules.ts';
import { catalogue } from '../../lib/proposal/catalogue.ts';
import { now, shippedPolicy, shippedSources } from './shipped.ts';

const context: TextContext = { tool: 'send_email', category: 'bill', standing: 'accepted', now };
const file = (rules: string, settings = ''): string =>
  `version: 1\nname: tried out\n${settings}rules:\n${rules}`;
const compile = (rules: string, settings?: string) => compileConstitution(file(rules, settings), catalogue);
const rule = (fields: string, id = 'R-1'): string => `  - { id: ${id}, text: tried out, ${fields} }\n`;

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return isCaregateError(error, 'CONFIGURATION_INVALID') ? error.message : String(error);
  }
  return 'nothing was thrown';
}

describe('a text rule', () => {
  const outcomeOf = (fields: string, settings?: string) => {
    const { matched, warnings, alert, ids } = compile(
      rule(`${fields}, keywords: [secret]`),
      settings,
    ).evaluate('a secret', context);
    return { decision: matched[0]?.decision, roles: matched[0]?.consent?.roles.join(), warnings, alert, ids };
  };

  it.each([
    ['severity: critical', 'DENY', undefined, false],
    ['severity: high', 'DENY', undefined, false],
    ['severity: low, workflow_action: block', 'DENY', undefined, false],
    ['severity: high, workflow_action: block_and_notify', 'DENY', undefined, true],
    ['severity: medium, workflow_action: halt_and_alert', 'DENY', undefined, true],
    ['severity: high, workflow_action: require_human_review', 'REQUIRE_HUMAN', 'owner,caregiver', false],
    ['severity: critical, workflow_action: escalate_to_senior', 'REQUIRE_HUMAN', 'owner', false],
  ])('with %s decides %s', (fields, decision, roles, alert) => {
    expect(outcomeOf(fields)).toEqual({ decision, roles, warnings: [], alert, ids: ['R-1'] });
  });

  it('with severity medium, or the action warn, only warns', () => {
    for (const fields of ['severity: medium', 'severity: low, workflow_action: warn']) {
      expect(outcomeOf(fields)).toMatchObject({ decision: undefined, warnings: ['R-1'], alert: false });
    }
  });

  it('with severity low is only listed', () => {
    expect(outcomeOf('severity: low')).toMatchObject({ decision: undefined, warnings: [], ids: ['R-1'] });
  });

  it('that asks denies instead, where the file says so', () => {
    for (const action of ['require_human_review', 'escalate_to_senior']) {
      expect(outcomeOf(`severity: high, workflow_action: ${action}`, 'onReview: deny\n')).toMatchObject({
        decision: 'DENY',
      });
    }
  });

  it('that is not enabled matches nothing', () => {
    expect(outcomeOf('severity: high, enabled: false')).toMatchObject({ decision: undefined, ids: [] });
  });

  it.each([
    ['valid_from: 2027-03-01', '2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00Z'],
    ["valid_from: '2027-03-01T12:00:00+01:00'", '2027-03-01T10:59:59.999Z', '2027-03-01T11:00:00Z'],
    ['valid_until: 2027-03-01', '2027-03-02T00:00:00Z', '2027-03-01T23:59:59.999Z'],
    ["valid_until: '2027-03-01T12:00:00Z'", '2027-03-01T12:00:00Z', '2027-03-01T11:59:59.999Z'],
  ])('with %s holds for its time only', (fields, outside, inside) => {
    const compiled = compile(rule(`severity: high, keywords: [secret], ${fields}`));
    const at = (instant: string) => compiled.evaluate('secret', { ...context, now: Date.parse(instant) }).ids;
    expect(at(outside)).toEqual([]);
    expect(at(inside)).toEqual(['R-1']);
  });

  it.each([
    ['tool: { equals: send_email }', true],
    ['tool: { equals: file_document }', false],
    ['tool: { not_equals: file_document }', true],
    ['tool: { not_equals: send_email }', false],
    ['tool: { contains: email }', true],
    ['tool: { contains: upload }', false],
    ['category: { in: [bill, receipt] }', true],
    ['category: { in: [receipt] }', false],
    ['standing: { not_in: [contact] }', true],
    ['standing: { not_in: [accepted] }', false],
    ['tool: { equals: send_email }, category: { equals: receipt }', false],
  ])('holds under its condition %s: %s', (condition, holds) => {
    const compiled = compile(rule(`severity: high, keywords: [secret], condition: { ${condition} }`));
    expect(compiled.evaluate('secret', context).ids).toEqual(holds ? ['R-1'] : []);
  });

  it('without words holds wherever its condition does', () => {
    const compiled = compile(rule('severity: high, condition: { tool: { equals: send_email } }'));
    expect(compiled.evaluate('anything', context).ids).toEqual(['R-1']);
    expect(compiled.evaluate('anything', { ...context, tool: 'ask_person' }).ids).toEqual([]);
  });

  it('with a keyword matches it as a part of a word, in any case, and however it is joined', () => {
    const compiled = compile(rule('severity: high, keywords: [api key]'));
    for (const text of ['API KEYS', 'my-api_key', 'api  -  key', 'an\u200bapi\u00a0key']) {
      expect(compiled.evaluate(text, context).ids).toEqual(['R-1']);
    }
    for (const text of ['apikey', 'api\nkey', 'key api'])
      expect(compiled.evaluate(text, context).ids).toEqual([]);
  });

  it('with a keyword full of signs takes them literally', () => {
    const compiled = compile(rule("severity: high, keywords: ['a.b*(c)']"));
    expect(compiled.evaluate('a.b*(c)', context).ids).toEqual(['R-1']);
    expect(compiled.evaluate('axbbbc', context).ids).toEqual([]);
  });

  it('of a higher priority is named first, and decides no more for that', () => {
    const rules =
      rule('severity: high, keywords: [a]', 'A') + rule('severity: high, keywords: [a], priority: 5', 'B');
    const { matched, ids } = compile(rules).evaluate('a', context);
    expect(matched.map((match) => match.id)).toEqual(['B', 'A']);
    expect(ids).toEqual(['A', 'B']);
  });

  it('may share its words with another, and both match', () => {
    const rules = rule('severity: high, keywords: [a]', 'A') + rule('severity: low, keywords: [a]', 'B');
    expect(compile(rules).evaluate('a', context).ids).toEqual(['A', 'B']);
  });
});

describe('a constitution file', () => {
  it.each([
    ['an empty file', '', 'line 1, column 1: the file is empty'],
    [
      'an unknown key',
      file(rule('severity: high, keywords: [a], colour: red')),
      'line 4, column 64: the key `colour` is unknown',
    ],
    ['an unknown severity', file(rule('severity: grave, keywords: [a]')), 'line 4, column 33'],
    [
      'an unknown action',
      file(rule('severity: low, keywords: [a], workflow_action: sing')),
      'line 4, column 63',
    ],
    [
      'an id that stands twice',
      file(rule('severity: low, keywords: [a]') + rule('severity: low, keywords: [b]')),
      'line 5, column 7: rule `R-1` has the id of another',
    ],
    [
      'a block that would only warn',
      file(rule('severity: high, keywords: [a], workflow_action: warn')),
      'would only warn of what its severity blocks',
    ],
    ['a blank keyword', file(rule("severity: high, keywords: [' ']")), 'a keyword that says nothing'],
    [
      'an invisible keyword',
      file(rule('severity: high, keywords: ["\\u200b"]')),
      'a keyword that says nothing',
    ],
    ['a rule about everything', file(rule('severity: high')), 'it would match every call'],
    [
      'a pattern with look-ahead',
      file(rule("severity: high, patterns: ['a(?=b)']")),
      'line 4, column 60: the pattern cannot be matched in linear time',
    ],
    ['a pattern with look-behind', file(rule("severity: high, patterns: ['(?<!a)b']")), 'linear time'],
    ['a pattern with a back-reference', file(rule("severity: high, patterns: ['(a)\\1']")), 'linear time'],
    ['a pattern that is none', file(rule("severity: high, patterns: ['(']")), 'linear time'],
    [
      'a pattern that repeats without end',
      file(rule("severity: high, patterns: ['(a{900}){900}']")),
      'linear time',
    ],
    [
      'a pattern that matches everything',
      file(rule("severity: high, patterns: ['a*']")),
      'the pattern matches everything',
    ],
    [
      'an unknown tool',
      file(rule('severity: high, keywords: [a], condition: { tool: { in: [erase] } }')),
      'names the unknown tool `erase`',
    ],
    [
      'an unknown category',
      file(rule('severity: high, keywords: [a], condition: { category: { equals: gossip } }')),
      'names the unknown category `gossip`',
    ],
    [
      'an unknown field',
      file(rule('severity: high, keywords: [a], condition: { weather: { equals: fair } }')),
      'the key `weather` is unknown',
    ],
    [
      'an unknown comparison',
      file(rule('severity: high, keywords: [a], condition: { tool: { like: send } }')),
      'the key `like` is unknown',
    ],
    [
      'a validity that ends before it begins',
      file(rule('severity: high, keywords: [a], valid_from: 2027-03-02, valid_until: 2027-03-01')),
      'ends before it begins',
    ],
    [
      'a date that there is not',
      file(rule('severity: high, keywords: [a], valid_from: 2027-02-30')),
      'line 4, column 64',
    ],
    ['an alias', file(rule('severity: high, keywords: *words')), 'anchors and aliases are refused'],
  ])('is refused for %s', (_, text, where) => {
    expect(() => compileConstitution(text, catalogue)).toFailWithCode('CONFIGURATION_INVALID');
    expect(messageOf(() => compileConstitution(text, catalogue))).toContain(where);
  });

  it('may have no rules, and then says nothing', () => {
    expect(
      compileConstitution('version: 1\nname: silent\nrules: []\n', catalogue).evaluate('secret', context),
    ).toEqual({
      matched: [],
      ids: [],
      warnings: [],
      alert: false,
    });
  });

  it('decides at no time that is none', () => {
    const compiled = compile(rule('severity: high, keywords: [a]'));
    expect(() => compiled.evaluate('a', { ...context, now: Number.NaN })).toFailWithCode('INVALID_INPUT');
  });
});

describe('the automaton', () => {
  const { rules } = parse(shippedSources.constitution) as {
    rules: { id: string; keywords?: string[]; patterns?: string[] }[];
  };

  it('finds what each expression finds alone', () => {
    const words = rules.flatMap(({ keywords = [] }) => keywords.flatMap((keyword) => keyword.split(' ')));
    const numbers = [
      '4111 1111 1111 1111',
      '123-45-6789',
      'AB123456C',
      'sk-abcdefgh12345678',
      'https://x',
      '-----begin private key-----',
    ];
    const text = fc
      .array(fc.constantFrom(...words, ...numbers, 'rosa', 'x'), { maxLength: 12 })
      .map((parts) => parts.join(' '));
    const alone = rules.map(({ id, keywords = [], patterns = [] }) => ({
      id,
      expressions: [...keywords.map((keyword) => RE2JS.quote(keyword)), ...patterns].map((one) =>
        RE2JS.compile(one, RE2JS.CASE_INSENSITIVE),
      ),
    }));
    fc.assert(
      fc.property(text, (drawn) => {
        const ascii = alone
          .filter(({ expressions }) => expressions.some((one) => one.test(drawn.toLowerCase())))
          .map(({ id }) => id);
        const found = shippedPolicy.constitution.evaluate(drawn, context).ids;
        // Accents are folded in the one and not in the other, so the automaton may find more.
        expect(found).toEqual(expect.arrayContaining(ascii));
        if (/^[ -~]*$/.test(drawn)) expect(found).toEqual(ascii.sort());
      }),
      { numRuns: 300 },
    );
  });

  it('takes time in proportion to the text, for a pattern that makes others hang', () => {
    const compiled = compile(rule("severity: high, patterns: ['(a+)+b$', '(x|x)*y']"));
    expect(compiled.evaluate(`${'a'.repeat(20_000)}${'x'.repeat(20_000)}!`, context).ids).toEqual([]);
  });
});
