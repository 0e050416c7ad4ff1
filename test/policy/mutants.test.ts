import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowAll, mutantsOf } from '../../lib/policy/mutants.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { holds, loadCases } from './rulecases.ts';
import { shippedPolicy, shippedSources } from './shipped.ts';

const cases = loadCases();
const mutants = mutantsOf(shippedSources).map(({ name, sources, engine }) => {
  const policy = compilePolicy(sources, engine);
  // The cases of the broken rule come first: they are the ones that should notice.
  const [rule] = name.split('/');
  const inOrder = cases.toSorted((one, other) => Number(other.rule === rule) - Number(one.rule === rule));
  return { name, digest: policy.digest, killer: inOrder.find((one) => !holds(one, policy)) };
});

const introduction = `# The mutants of the shipped rules

Each mutant is the shipped policy with one thing broken on purpose, and the case is the first of \`rules/cases\` that it
decides differently, those of the broken rule before all others. A mutant that survived would show a rule, or a part of
one, that could be taken away without anybody noticing. \`npm test\` makes all of them anew and compares the result with
this file; \`CAREGATE_UPDATE=1 npx vitest run test/policy/mutants.test.ts\` writes it.

| mutant | killed by |
|---|---|
`;

function catalogue(): string {
  const rows = mutants.map(({ name, killer }) => {
    const text = killer === undefined ? 'none: it survives' : `${killer.rule}: ${killer.name}`;
    return `| \`${name}\` | ${shown(text)} |`;
  });
  return `${introduction}${rows.join('\n')}\n`;
}

/** A cell of the table: what would end it is escaped, and what nobody would see is written out. */
function shown(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\u200b', '(zero-width space)');
}

describe('mutants of the shipped rules', () => {
  it('are none of them the shipped policy', () => {
    expect(mutants.filter(({ digest }) => digest === shippedPolicy.digest)).toEqual([]);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants)('$name is killed by a named case', ({ killer }) => {
    expect(killer).toBeDefined();
  });

  it('include one of every rule, and the one that allows everything', () => {
    const names = mutants.map(({ name }) => name);
    const rules = [...shippedPolicy.rules.map((rule) => rule.id), ...shippedPolicy.constitution.ids];
    expect(rules.filter((rule) => !names.includes(`${rule}/deleted`))).toEqual([]);
    expect(names).toContain(allowAll);
  });

  it('are listed with their killers in rules/MUTANTS.md', () => {
    if (process.env.CAREGATE_UPDATE === '1') writeFileSync('rules/MUTANTS.md', catalogue());
    expect(readFileSync('rules/MUTANTS.md', 'utf8')).toBe(catalogue());
  });
});

describe('mutants of a policy with bounds and several people', () => {
  const bounded = `${shippedSources.policy}
  - id: careful
    decision: REQUIRE_HUMAN
    reason: HOUSEHOLD_RULE
    because: it is tried out
    consent: { people: 2, roles: [owner, caregiver] }
    when: { tool: send_email, documents: { above: 1, atMost: 5 }, amount: { atMost: 0 }, action: { above: 3 } }
`;
  const own = mutantsOf({ ...shippedSources, policy: bounded }).filter(({ name }) =>
    name.startsWith('careful/'),
  );

  it('move each bound by one, and ask fewer people', () => {
    expect(own.map(({ name }) => name.replace('careful/', ''))).toEqual(
      expect.arrayContaining([
        'weakened-action-above',
        'weakened-documents-above',
        'weakened-documents-atMost',
        'weakened-amount-atMost',
        'consent-of-fewer',
        'consent-of-viewers',
      ]),
    );
    const policies = Object.fromEntries(
      own.map(({ name, sources }) => [name.replace('careful/', ''), sources.policy]),
    );
    expect(policies['weakened-documents-above']).toMatch(/documents:\s+atMost: 5\s+above: 2/);
    expect(policies['weakened-action-above']).toMatch(/action:\s+above: 4/);
    expect(policies['consent-of-fewer']).toMatch(/people: 1\s+roles:\s+- owner\s+- caregiver\n$/);
  });

  it('can all be compiled', () => {
    for (const { sources, engine } of own) expect(compilePolicy(sources, engine).rules).not.toHaveLength(0);
  });
});
