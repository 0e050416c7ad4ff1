import type { PlannedChange } from './changeset.ts';
import { kindOf } from './resources.ts';

/** Why a change is not made without a person's hands: what it would take away. */
export type Refusal = 'replaced' | 'perhaps-replaced' | 'removed' | 'undetermined';

/** Actions that leave a resource that is there where it is. */
const harmless: ReadonlySet<string> = new Set(['Add', 'Import', 'Modify', 'SyncWithActual']);

/**
 * Whether a release may make this change. What holds data is never replaced nor removed by a release, not even where
 * its bytes would be retained: the deployment would then look for them in an empty one. A change whose action is only
 * known while it happens counts as the worst that it can be.
 * @returns what speaks against it, or nothing
 */
export function refusalOf({ action, type, replacement }: PlannedChange): Refusal | undefined {
  if (kindOf(type).holds === undefined) return undefined;
  if (action === 'Remove') return 'removed';
  if (!harmless.has(action)) return 'undetermined';
  if (replacement === 'yes') return 'replaced';
  return replacement === 'perhaps' ? 'perhaps-replaced' : undefined;
}
