import { CaregateError } from '../errors.ts';
import { type ChangeSet, readChangeSet } from './changeset.ts';
import { type DeployingParts, executeChangeSet } from './execution.ts';
import { refusalOf } from './judgement.ts';
import type { ReleasePlan } from './planfile.ts';

/**
 * Executes the change sets of a plan, one stack after the other, after all of them were read again and judged again.
 * Nothing is executed if any of them is not the one that was explained, or would take away what must be kept.
 * @param commit what the tree is at; a plan for another commit is refused
 * @returns the stacks that could not be planned yet, and so were not deployed
 * @throws CaregateError `RELEASE_REFUSED`; `CLOUD_UNAVAILABLE` if a stack did not end well
 */
export async function deployRelease(
  parts: DeployingParts,
  plan: ReleasePlan,
  commit: string,
): Promise<readonly string[]> {
  refuseOther(plan, commit);
  const planned = plan.stacks.filter((entry) => entry.state === 'planned');
  const sets: ChangeSet[] = [];
  for (const { stack, changeSet, digest } of planned) {
    const set = await readChangeSet(parts.cloudformation, stack, changeSet);
    checkExplained(set, changeSet, digest);
    checkHarmless(set);
    sets.push(set);
  }
  for (const set of sets) await executeChangeSet(parts, set);
  return plan.stacks.filter(({ state }) => state === 'waits').map(({ stack }) => stack);
}

function refuseOther(plan: ReleasePlan, commit: string): void {
  if (plan.commit === commit) return;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `plan is for commit \`${plan.commit.slice(0, 12)}\`, and the tree is at \`${commit.slice(0, 12)}\`; plan again`,
  );
}

/** What is executed is what a person read: the same ARN, the same changes, and nothing deployed in between. */
function checkExplained(set: ChangeSet, arn: string, digest: string): void {
  if (set.arn !== arn || set.digest !== digest) {
    throw new CaregateError(
      'RELEASE_REFUSED',
      `change set of stack \`${set.stack}\` is not the one that was explained; plan again and read it`,
    );
  }
  if (set.status === 'CREATE_COMPLETE' && set.execution === 'AVAILABLE') return;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `change set of stack \`${set.stack}\` is \`${set.execution.slice(0, 40)}\` and cannot be executed any more; plan again`,
  );
}

function checkHarmless(set: ChangeSet): void {
  const refused = set.changes.filter((change) => refusalOf(change) !== undefined);
  const [first] = refused;
  if (first === undefined) return;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `stack \`${set.stack}\` would replace or remove \`${first.name}\`${refused.length > 1 ? ` and ${refused.length - 1} more` : ''}, which holds what must be kept; undo that change, or move the data by hand as docs/operate.md says`,
  );
}
