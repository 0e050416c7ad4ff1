import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowAll, mutantsOf } from '../../lib/policy/mutants.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { holds, loadCases } from './rulecases.ts';
import { shippedPolicy, shippedSources } from './shipped.ts';

const cases = loadCases();
const mutants = mutantsOf(shippedSources).map(({ name, sources, engine }) => {
  const policy = compilePolicy(sources, engine);
  return { name, policy, killers: cases.filter((one) => !holds(one, policy)) };
});

const introduction = `# The mutants of the shipped rules

Each mutant is the shipped policy with one thing broken on purpose. It is killed by every case of \`rules/cases\` that it
decides differently; the first of them is named. A mutant that survived would show a rule, or a part of one, that could
be taken away without anybody noticing. \`npm test\` makes all of them anew and compares the result with this file;
\`CAREGATE_UPDATE=1 npx vitest run test/policy/mutants.test.ts\` writes it.

| mutant | cases that kill it | the first of them |
|---|---|---|
`;

function catalogue(): string {
  const rows = mutants.map(({ name, killers }) => {
    const [first] = killers;
    const killer = first === undefined ? 'none: it survives' : `${first.rule}: ${first.name}`;
    return `| \`${name}\` | ${killers.length} | ${shown(killer)} |`;
  });
  return `${introduction}${rows.join('\n')}\n`;
}

/** A cell of the table: what would end it is escaped, and what nobody would see is written out. */
function shown(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\u200b', '(zero-width space)');
}

describe('mutants of the shipped rules', () => {
  it('are none of them the shipped policy', () => {
    expect(mutants.filter(({ policy }) => policy.digest === shippedPolicy.digest)).toEqual([]);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants)('$name is killed by a named case', ({ killers }) => {
    expect(killers.length).toBeGreaterThan(0);
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
