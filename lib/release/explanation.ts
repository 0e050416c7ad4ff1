import type { PlannedChange } from './changeset.ts';
import { type Refusal, refusalOf } from './judgement.ts';
import { kindOf } from './resources.ts';

/** What a change means, in one line for people. */
export function explainChange(change: PlannedChange): string {
  const { noun } = kindOf(change.type);
  const refusal = refusalOf(change);
  const text = `${verbOf(change)} ${noun} \`${change.name}\`${propertiesOf(change)}`;
  return refusal === undefined
    ? `  ${text}${meaningOf(change)}`
    : `! ${text}: ${refusedMeaning(refusal, change)}`;
}

/** The lines of a stack's change set: how much of what, then each change, those that are refused first. */
export function explainStack(stack: string, changes: readonly PlannedChange[]): string[] {
  if (changes.length === 0) return [`${stack}: nothing changes`];
  const sorted = [...changes].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  return [`${stack}: ${countsOf(changes)}`, ...sorted.map((change) => `  ${explainChange(change)}`)];
}

function rank(change: PlannedChange): number {
  if (refusalOf(change) !== undefined) return 0;
  return ['Remove', 'Modify', 'Add'].indexOf(change.action) + 1;
}

function countsOf(changes: readonly PlannedChange[]): string {
  const counts = new Map<string, number>();
  for (const change of changes) counts.set(verbOf(change), (counts.get(verbOf(change)) ?? 0) + 1);
  return [...counts].map(([verb, count]) => `${count} ${verb}`).join(', ');
}

function verbOf({ action, replacement }: PlannedChange): string {
  switch (action) {
    case 'Add':
      return 'added';
    case 'Remove':
      return 'removed';
    case 'Import':
      return 'taken over';
    case 'SyncWithActual':
      return 'noted as it is';
    case 'Modify':
      if (replacement === 'yes') return 'replaced';
      return replacement === 'perhaps' ? 'perhaps replaced' : 'changed';
    default:
      return 'changed somehow';
  }
}

function propertiesOf({ action, properties }: PlannedChange): string {
  return action === 'Modify' && properties.length > 0 ? ` (${properties.join(', ')})` : '';
}

function meaningOf({ action, type, replacement }: PlannedChange): string {
  const { holds } = kindOf(type);
  if (holds === undefined || action === 'Add') return '';
  return action === 'Modify' && replacement === 'no' ? ', in place: it keeps what it holds' : '';
}

function refusedMeaning(refusal: Refusal, { type, old, name }: PlannedChange): string {
  const { noun, holds } = kindOf(type);
  const what = `the ${noun} with ${holds}`;
  switch (refusal) {
    case 'replaced':
      return `${what} would be replaced by an empty one; ${fate(old)}`;
    case 'perhaps-replaced':
      return `${what} may be replaced by an empty one, depending on values that are known only while it happens`;
    case 'removed':
      return `${what} would be removed; ${fate(old)}`;
    case 'undetermined':
      return `what happens to \`${name}\`, ${what}, is decided only while it happens`;
  }
}

function fate(old: string | undefined): string {
  if (old?.endsWith('Retain') === true) {
    return 'the old one would stay in the account, but the deployment would not look into it any more';
  }
  return old?.endsWith('Snapshot') === true
    ? 'only a snapshot of the old one would stay'
    : 'the old one and all that is in it would be deleted';
}
