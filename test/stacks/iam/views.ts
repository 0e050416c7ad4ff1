import { type Deployed, type DeployedRole, decide, everything, principalOf } from './deployed.ts';
import type { Verdict } from './evaluate.ts';
import type { Policy } from './policy.ts';
import type { Asked } from './requests.ts';

/**
 * How a request is looked at:
 * - `granted`: by what was given alone, as if nothing were denied, so that a grant that is too wide shows although
 *   something denies it
 * - `utmost`: as if the role had been given everything, so that only what is denied explicitly holds it back
 * - `effective`: as AWS decides it
 */
export type View = 'granted' | 'utmost' | 'effective';

/** What AWS, or one of the two stricter views, says of a role's request. */
export function look(view: View, deployed: Deployed, role: DeployedRole, asked: Asked): Verdict {
  switch (view) {
    case 'granted':
      return decide({ guarded: withoutDenials(deployed) }, principalOf(allowing(role)), asked);
    case 'utmost':
      return decide(deployed, principalOf({ ...role, identity: [...role.identity, everything] }), asked);
    case 'effective':
      return decide(deployed, principalOf(role), asked);
  }
}

function allowing(role: DeployedRole): DeployedRole {
  return { ...role, identity: role.identity.map(withoutDenial), boundary: undefined };
}

function withoutDenial(policy: Policy): Policy {
  return { ...policy, statements: policy.statements.filter(({ Effect }) => Effect === 'Allow') };
}

const opened = new WeakMap<Deployed['guarded'], Deployed['guarded']>();

function withoutDenials({ guarded }: Deployed): Deployed['guarded'] {
  const known = opened.get(guarded);
  if (known !== undefined) return known;
  const made = guarded.map(({ arn, policy }) => ({ arn, policy: withoutDenial(policy) }));
  opened.set(guarded, made);
  return made;
}
