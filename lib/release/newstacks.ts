import { CaregateError } from '../errors.ts';
import { readAssembly } from './assembly.ts';
import { readChangeSet } from './changeset.ts';
import { type DeployingParts, executeChangeSet } from './execution.ts';
import { linesOf, planStack, type StackPlanningParts } from './stackplan.ts';

/**
 * Makes the stacks that do not exist yet, one after the other: each is planned once those before it are there, explained,
 * and made. In a stack that is new there is nothing to lose; one that changes anything is left to a plan that
 * somebody reads.
 * @param waiting the stacks that could not be planned
 * @throws CaregateError `RELEASE_REFUSED` for a stack that exists already; `CLOUD_UNAVAILABLE`
 */
export async function deployNewStacks(
  parts: StackPlanningParts & DeployingParts,
  { assembly, commit }: { readonly assembly: string; readonly commit: string },
  waiting: readonly string[],
): Promise<void> {
  for (const stack of readAssembly(assembly).filter(({ name }) => waiting.includes(name))) {
    const { entry, changes } = await planStack(parts, stack, commit, []);
    for (const line of linesOf(entry, changes)) parts.say(line);
    if (entry.state === 'unchanged') continue;
    if (entry.state === 'waits') throw notNew(stack.name, 'still needs what is not there');
    if (changes.some(({ action }) => action !== 'Add')) throw notNew(stack.name, 'exists already');
    await executeChangeSet(parts, await readChangeSet(parts.cloudformation, stack.name, entry.changeSet));
  }
}

function notNew(stack: string, why: string): CaregateError {
  return new CaregateError('RELEASE_REFUSED', `stack \`${stack}\` ${why}; plan again, read it, and deploy`);
}
