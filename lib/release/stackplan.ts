import { type CloudFormationClient, paginateListExports } from '@aws-sdk/client-cloudformation';
import { CaregateError } from '../errors.ts';
import type { SynthesizedStack } from './assembly.ts';
import { type ChangeSet, readChangeSet } from './changeset.ts';
import { shortCommit } from './commit.ts';
import { explainStack } from './explanation.ts';
import type { PlannedStack } from './planfile.ts';

export interface StackPlanningParts {
  readonly cloudformation: CloudFormationClient;
  /**
   * Uploads a stack's assets and has its change set made, without executing it. What goes wrong is its own to throw; a
   * stack without changes is no error.
   */
  readonly prepare: (stack: string, changeSet: string) => Promise<void>;
  /** Takes each line as soon as it is known. */
  readonly say: (line: string) => void;
}

/**
 * Has a stack's change set made and reads it, unless it needs what is not there yet.
 * @param before the stacks before it: one that waits makes those that depend on it wait too
 * @throws CaregateError `CLOUD_UNAVAILABLE`
 */
export async function planStack(
  parts: Omit<StackPlanningParts, 'say'>,
  { name, imports, dependencies }: SynthesizedStack,
  commit: string,
  before: readonly PlannedStack[],
): Promise<{ entry: PlannedStack; changes: ChangeSet['changes'] }> {
  const waiting = before.filter(({ stack, state }) => state === 'waits' && dependencies.includes(stack));
  const missing = [
    ...(await missingExports(parts.cloudformation, imports)),
    ...waiting.map(({ stack }) => stack),
  ];
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

/** What a plan says of a stack. */
export function linesOf(entry: PlannedStack, changes: ChangeSet['changes']): string[] {
  if (entry.state !== 'waits') return explainStack(entry.stack, changes);
  const [first = ''] = entry.missing;
  return [
    `${entry.stack}: cannot be planned yet: it needs \`${first}\`, which is there once the stacks before it are deployed; deploy, then plan again`,
  ];
}
