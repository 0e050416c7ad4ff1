import { describe, expect, it } from 'vitest';
import { loadCases } from './rulecases.ts';
import { shippedPolicy } from './shipped.ts';

const cases = loadCases();
const kinds = ['matches', 'does-not-match', 'boundary'] as const;
const rules = [...shippedPolicy.rules.map((rule) => rule.id), ...shippedPolicy.constitution.ids];

describe('the cases of rules/cases', () => {
  it.each(cases.map((one) => ({ ...one, title: `${one.rule}: ${one.name}` })))(
    '$title',
    ({ expect: expected, run }) => {
      expect(run(shippedPolicy)).toMatchObject(expected);
      expect(run(shippedPolicy).consent).toEqual(expected.consent);
    },
  );

  it('are about rules that there are', () => {
    expect(cases.map((one) => one.rule).filter((rule) => !rules.includes(rule))).toEqual([]);
  });

  it.each(rules)('include for %s one that matches, one that does not, and one at the boundary', (rule) => {
    const own = cases.filter((one) => one.rule === rule);
    expect(kinds.filter((kind) => !own.some((one) => one.kind === kind))).toEqual([]);
  });

  it('match, and do not match, the rule that they are about', () => {
    const wrong = cases.filter(
      ({ rule, kind, run }) =>
        kind !== 'boundary' && run(shippedPolicy).matched.includes(rule) !== (kind === 'matches'),
    );
    expect(wrong.map((one) => one.name)).toEqual([]);
  });
});
