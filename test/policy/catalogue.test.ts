import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readCall } from '../../lib/policy/callfile.ts';
import { constitutionFileSchema } from '../../lib/policy/constitution.ts';
import { gate } from '../../lib/policy/gate.ts';
import { policyFileSchema } from '../../lib/policy/rules.ts';
import { actionOf } from '../../lib/policy/workflow.ts';
import { exampleCircle, now, shippedPolicy, shippedSources } from './shipped.ts';

const file = 'rules/README.md';
const policy = policyFileSchema.parse(parse(shippedSources.policy));
const constitution = constitutionFileSchema.parse(parse(shippedSources.constitution));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const tables = {
  policy: table(
    ['rule', 'decides', 'reason', 'because'],
    policy.rules.map(({ id, decision, reason, because, consent }) => {
      const by = consent === undefined ? '' : ` (${consent.people}: ${consent.roles.join(' or ')})`;
      return [`\`${id}\``, `${decision}${by}`, `\`${reason}\``, because];
    }),
  ),
  constitution: table(
    ['rule', 'severity', 'does', 'where', 'because'],
    constitution.rules.map((rule) => [
      `\`${rule.id}\``,
      rule.severity,
      `\`${actionOf(rule)}\``,
      Object.keys(rule.condition).length === 0 ? 'everywhere' : 'what leaves the household',
      rule.text,
    ]),
  ),
};

function withTables(text: string): string {
  return Object.entries(tables).reduce(
    (page, [name, rows]) =>
      page.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`),
        () => `<!-- ${name} -->\n\n${rows}\n\n<!-- /${name} -->`,
      ),
    text,
  );
}

const decideOnLetter = (text: string) => {
  const written = {
    to: { entry: 'hillside-records' },
    subject: { value: 'About Rosa' },
    body: { value: text },
  };
  return gate(shippedPolicy, { ...readCall({ tool: 'send_email', arguments: written }, exampleCircle), now });
};

describe('the catalogue in rules/README.md', () => {
  it('lists every rule as the files have it', () => {
    if (process.env.CAREGATE_UPDATE === '1') writeFileSync(file, withTables(readFileSync(file, 'utf8')));
    const page = readFileSync(file, 'utf8');
    expect(withTables(page)).toBe(page);
    expect(page).toContain(tables.policy);
    expect(page).toContain(tables.constitution);
  });

  const page = readFileSync(file, 'utf8');
  const missed = page
    .slice(page.indexOf('| not caught |'))
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [, what, example] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
      return what === undefined || example === undefined ? [] : [{ what, example }];
    });

  it('says what the constitution does not catch', () => {
    expect(missed.length).toBeGreaterThanOrEqual(15);
  });

  it.each(missed)('$what are not caught: $example', ({ example }) => {
    expect(decideOnLetter(example)).toMatchObject({ outcome: 'REQUIRE_HUMAN', matched: ['letter-leaves'] });
  });

  it('says that a prohibition is taken for what it prohibits', () => {
    expect(decideOnLetter('Never send a password')).toMatchObject({
      outcome: 'DENY',
      deciding: ['CARE-SECRET-WORDS'],
    });
  });

  it('has a constitution that conditions on nothing but what leaves', () => {
    const conditions = constitution.rules
      .map((rule) => JSON.stringify(rule.condition))
      .filter((text) => text !== '{}');
    expect(new Set(conditions).size).toBe(1);
  });
});
