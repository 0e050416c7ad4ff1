import { type CloudFormationClient, paginateListExports } from '@aws-sdk/client-cloudformation';
import type { SESClient } from '@aws-sdk/client-ses';
import { CaregateError } from '../errors.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { readAssembly, type SynthesizedStack } from './assembly.ts';
import { type ChangeSet, readChangeSet } from './changeset.ts';
import { shortCommit } from './commit.ts';
import { explainStack } from './explanation.ts';
import { explainIdentity, readIdentities } from './identities.ts';
import { refusalOf } from './judgement.ts';
import type { PlannedStack, ReleasePlan } from './planfile.ts';

export interface PlanningParts {
  readonly cloudformation: CloudFormationClient;
  readonly ses: SESClient;
  readonly clock: Clock;
  /**
   * Uploads a stack's assets and has its change set made, without executing it. What goes wrong is its own to throw; a
   * stack without changes is no error.
   */
  readonly prepare: (stack: string, changeSet: string) => Promise<void>;
  /** Takes each line as soon as it is known. */
  readonly say: (line: string) => void;
}

export interface PlanningInput {
  readonly commit: string;
  readonly region: string;
  /** The folder of the synthesized stacks. */
  readonly assembly: string;
  readonly domains: readonly string[];
}

export interface Planned {
  readonly plan: ReleasePlan;
  /** Whether it may be executed as it is. */
  readonly refused: boolean;
}

/**
 * Plans a release: asks for its domains first, since a release whose mail neither comes nor goes is none; then has a
 * change set made for each stack and says in words what it would do. Deploys nothing.
 * @throws CaregateError `RELEASE_REFUSED` for a domain that is not verified; `CLOUD_UNAVAILABLE`
 */
export async function planRelease(parts: PlanningParts, input: PlanningInput): Promise<Planned> {
  const stacks = readAssembly(input.assembly);
  await checkDomains(parts, input.domains, stacks);
  const planned: PlannedStack[] = [];
  let refused = false;
  for (const stack of stacks) {
    const { entry, changes } = await planStack(parts, stack, input.commit);
    planned.push(entry);
    refused ||= changes.some((change) => refusalOf(change) !== undefined);
    for (const line of linesOf(entry, changes)) parts.say(line);
  }
  const { commit, region } = input;
  const plan: ReleasePlan = {
    version: 1,
    commit,
    region,
    at: isoTime(parts.clock),
    stacks: planned,
  };
  return { plan, refused };
}

async function checkDomains(
  { ses, say }: PlanningParts,
  domains: readonly string[],
  stacks: readonly SynthesizedStack[],
): Promise<void> {
  const states = await readIdentities(
    ses,
    domains,
    stacks.flatMap(({ identities }) => identities),
  );
  for (const state of states) say(explainIdentity(state));
  const bad = states.find(({ state }) => state === 'unverified');
  if (bad === undefined) return;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `domain \`${bad.domain}\` is not verified by the mail service; publish its DNS records, wait, and plan again`,
  );
}

async function planStack(
  parts: PlanningParts,
  { name, imports }: SynthesizedStack,
  commit: string,
): Promise<{ entry: PlannedStack; changes: ChangeSet['changes'] }> {
  const missing = await missingExports(parts.cloudformation, imports);
  if (missing.length > 0) return { entry: { stack: name, state: 'waits', missing }, changes: [] };
  const changeSetName = `caregate-${shortCommit(commit)}`;
  await parts.prepare(name, changeSetName);
  const set = await readChangeSet(parts.cloudformation, name, changeSetName);
  if (isEmpty(set)) return { entry: { stack: name, state: 'unchanged' }, changes: [] };
  if (set.status !== 'CREATE_COMPLETE') throw notMade(name, set);
  const { arn, digest, changes } = set;
  return { entry: { stack: name, state: 'planned', changeSet: arn, digest }, changes };
}

/** Exports that a stack imports and that nobody has exported yet: those of a stack that is itself only planned. */
async function missingExports(client: CloudFormationClient, imports: readonly string[]): Promise<string[]> {
  if (imports.length === 0) return [];
  const present = new Set<string>();
  for await (const page of paginateListExports({ client }, {})) {
    for (const { Name } of page.Exports ?? []) if (Name !== undefined) present.add(Name);
  }
  return imports.filter((name) => !present.has(name));
}

/** The service's way of saying that nothing would change is a change set that failed for that reason. */
function isEmpty({ status, reason, changes }: ChangeSet): boolean {
  if (status !== 'FAILED' || changes.length > 0) return false;
  return reason.includes("didn't contain changes") || reason.includes('No updates are to be performed');
}

function notMade(stack: string, { status }: ChangeSet): CaregateError {
  return new CaregateError(
    'CLOUD_UNAVAILABLE',
    `change set of stack \`${stack}\` ended as \`${status.slice(0, 40)}\`; read its reason in the console, then plan again`,
  );
}

function linesOf(entry: PlannedStack, changes: ChangeSet['changes']): string[] {
  if (entry.state !== 'waits') return explainStack(entry.stack, changes);
  const [first = ''] = entry.missing;
  return [
    `${entry.stack}: cannot be planned yet: it needs \`${first}\`, which a stack before it exports once it is deployed; deploy, then plan again`,
  ];
}
