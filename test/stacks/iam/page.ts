import type { Claim } from './claims.ts';
import type { Deployed, DeployedRole } from './deployed.ts';
import type { Estate } from './estate.ts';
import { invocationClaims } from './invocations.ts';
import { forget } from './judge.ts';
import { type Court, killersOf, withoutDenials } from './mutants.ts';
import type { Statement } from './policy.ts';
import type { Probe } from './probes.ts';
import { account, region } from './symbols.ts';
import { look } from './views.ts';

const introduction = `# Who may do what

Every function has a role of its own. It is given what its duty takes (\`lib/stacks/duties.ts\`), and everything else is
denied to it explicitly, so that nothing that is ever added to a role has an effect. What concerns data stands at the data
too, in the policies of buckets and keys, and holds against administrators of the account. Why it is done so:
[decision 6](decisions/0006-denials-are-the-complement-of-duties.md).

This page is written from the synthesized templates of \`deployment.example.yaml\`, by the evaluator of IAM policies in
\`test/stacks/iam\`; \`npm test\` writes it anew and compares. \`CAREGATE_UPDATE=1 npx vitest run
test/stacks/iam/permissions.test.ts\` keeps what changed.
`;

/** docs/permissions.md, as the templates have it. */
export function pageOf(estate: Estate, court: Court, roles: readonly DeployedRole[]): string {
  const { deployed } = estate;
  return [
    introduction,
    claimsSection(court.claims),
    rightsSection(court.own, deployed, roles),
    invocationsSection(estate),
    denialsSection(deployed, court, roles),
    othersSection(estate),
  ].join('\n');
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? 'nobody' : names.map((name) => `\`${name}\``).join(', ');

function claimsSection(claims: readonly Claim[]): string {
  const rows = claims.map(
    ({ name, only, among, forAll }) =>
      `| ${name} | ${among === undefined ? list(only) : `nobody of ${list(among)}`} | ${forAll === true ? 'yes' : ''} |`,
  );
  return `## What holds, even if a role were given everything

| claim | may do it | holds against administrators |
|---|---|---|
${rows.join('\n')}
`;
}

function rightsSection(probes: readonly Probe[], deployed: Deployed, roles: readonly DeployedRole[]): string {
  const rows = probes.map(({ what, asked }) => {
    const able = roles.filter((role) => look('effective', deployed, role, asked).decision === 'allowed');
    return `| ${what} | ${list(able.map(({ name }) => name).sort())} |`;
  });
  return `## What each function may do

What can be read is listed for objects one by one; \`create\` never replaces. Nobody may do what is not listed.

| right | functions |
|---|---|
${rows.join('\n')}
`;
}

/** Which functions are run by whom, as their own policies and the roles of the account have it. */
function invocationsSection(estate: Estate): string {
  const rows = invocationClaims(estate).map(({ name, functions }) => {
    const names = functions.map((arn) => arn.slice(arn.lastIndexOf(':') + 1).replace(/^caregate-/, ''));
    return `| ${name} | ${list(names.sort())} |`;
  });
  return `## Who has functions run

A service has a function run where the function's own policy lets it, bound to what the service acts for. Widening one of
these rights makes a claim fail, by its name (\`test/stacks/iam/permissions.test.ts\`).

| claim | functions |
|---|---|
${rows.join('\n')}
`;
}

/** Denials by their names, with the claims that would fail if they were taken away. */
function denialsSection(deployed: Deployed, court: Court, roles: readonly DeployedRole[]): string {
  const found = new Map<string, Set<string>>();
  for (const mutant of withoutDenials(deployed, roles)) {
    const isFunction = deployed.functions.has(mutant.at);
    const owner = isFunction ? 'functions' : mutant.at === forget ? '`forget`' : shownArn(mutant.at);
    const row = `| ${mutant.sid === '' ? 'encrypted transport' : `\`${mutant.sid}\``} | ${owner}`;
    const killers = found.get(row) ?? new Set();
    for (const name of killersOf(mutant, court)) killers.add(name);
    found.set(row, killers);
  }
  const rows = [...found]
    .map(
      ([row, killers]) =>
        `${row} | ${killers.size === 0 ? 'nothing: it could be taken away' : [...killers].sort().join('; ')} |`,
    )
    .sort();
  return `## What each denial carries

Each was taken away by itself, from each role that has it; the claims are those that failed then.

| denial | stands at | without it, these fail |
|---|---|---|
${rows.join('\n')}
`;
}

/** Roles that are no function's: what each of them is given, as it stands in its policies. */
function othersSection({ deployed }: Estate): string {
  const sections = [...deployed.others.values()]
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ name, identity }) => {
      const statements = identity.flatMap(({ statements }) => statements);
      return `### ${withoutHash(name)}\n\n| | actions | on | if |\n|---|---|---|---|\n${statements.map(statementRow).join('\n')}\n`;
    });
  return `## The other roles\n\n${sections.join('\n')}`;
}

function statementRow({ Effect, Action, NotAction, Resource, NotResource, Condition }: Statement): string {
  const actions = Action?.join(', ') ?? `anything but ${NotAction?.join(', ')}`;
  const resources =
    Resource?.map(shownArn).join(', ') ?? `anything but ${NotResource?.map(shownArn).join(', ')}`;
  const conditions = Object.entries(Condition ?? {}).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => `${key} ${operator} ${values.map(shownArn).join(' or ')}`),
  );
  return `| ${Effect} | ${escaped(actions)} | ${escaped(resources)} | ${escaped(conditions.join('; '))} |`;
}

/** What CDK adds to a logical id changes with the construct's place, and says nothing. */
function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}

function shownArn(arn: string): string {
  return arn
    .replaceAll(`:${region}:${account}:`, ':')
    .replaceAll(`:${account}:`, ':')
    .replace(/^arn:aws:/, '')
    .replace(/[0-9a-f]{8}(?=$|[/:])/g, '');
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
