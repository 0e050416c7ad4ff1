import type { Claim } from './claims.ts';
import type { Deployed, DeployedRole } from './deployed.ts';
import { gaps, strays, violations } from './judge.ts';
import type { Policy, Statement } from './policy.ts';
import type { Probe } from './probes.ts';

/** What rights are judged by. */
export interface Court {
  readonly claims: readonly Claim[];
  readonly own: readonly Probe[];
  readonly stray: readonly Probe[];
  readonly loose: readonly Probe[];
}

/** One thing broken on purpose. */
export interface Mutant {
  /** Whose policy was changed. */
  readonly at: string;
  /** The statement that was changed, by its `Sid`. */
  readonly sid: string;
  readonly change: string;
  readonly deployed: Deployed;
  /** The roles that changed; none where a resource's policy did. */
  readonly roles: readonly DeployedRole[];
}

export const noMore = 'no role can do more than it is given';
export const noStrays = 'no role is given anything that none has any business with';

/** The name of the first claim that a mutant breaks, or nothing for one that nobody would notice. */
export function killerOf(mutant: Mutant, court: Court): string | undefined {
  const { deployed, roles } = mutant;
  return (
    court.claims.find((one) => violations(one, deployed, roles).length > 0)?.name ??
    generalKiller(mutant, court)
  );
}

/** All of them; what holds for every right is named only where no claim is broken. */
export function killersOf(mutant: Mutant, court: Court): string[] {
  const { deployed, roles } = mutant;
  const broken = court.claims.filter((one) => violations(one, deployed, roles).length > 0);
  const general = broken.length === 0 ? generalKiller(mutant, court) : undefined;
  return [...broken.map(({ name }) => name), ...(general === undefined ? [] : [general])];
}

function generalKiller({ deployed, roles }: Mutant, court: Court): string | undefined {
  if (gaps([...court.own, ...court.stray], deployed, roles).length > 0) return noMore;
  return strays([...court.stray, ...court.loose], deployed, roles).length > 0 ? noStrays : undefined;
}

/** Every deny statement taken away in turn: those of the roles, and those of the resources. */
export function withoutDenials(deployed: Deployed, roles: readonly DeployedRole[]): Mutant[] {
  const ofRoles = roles.flatMap((role) =>
    role.identity.flatMap((policy) =>
      denials(policy).map(
        (statement): Mutant => ({
          at: role.name,
          sid: statement.Sid ?? '',
          change: 'taken away',
          deployed,
          roles: [withPolicy(role, policy, without(policy, statement))],
        }),
      ),
    ),
  );
  const ofResources = deployed.guarded.flatMap((guard) =>
    denials(guard.policy).map(
      (statement): Mutant => ({
        at: guard.arn,
        sid: statement.Sid ?? '',
        change: 'taken away',
        deployed: {
          ...deployed,
          guarded: deployed.guarded.map((one) =>
            one === guard ? { arn: guard.arn, policy: without(guard.policy, statement) } : one,
          ),
        },
        roles: [],
      }),
    ),
  );
  return [...ofRoles, ...ofResources];
}

/** Every grant made wider in turn: on any resource, and under no condition. */
export function withWiderGrants(deployed: Deployed, roles: readonly DeployedRole[]): Mutant[] {
  return roles.flatMap((role) =>
    role.identity.flatMap((policy) =>
      policy.statements
        .filter(({ Effect }) => Effect === 'Allow')
        .flatMap((statement) =>
          widened(statement).map(
            ({ change, wider }): Mutant => ({
              at: role.name,
              sid: statement.Sid ?? (statement.Action ?? []).join(', '),
              change,
              deployed,
              roles: [withPolicy(role, policy, replaced(policy, statement, wider))],
            }),
          ),
        ),
    ),
  );
}

/** Every role given, in turn, what each claim says that it may not. */
export function withClaimedRights(
  deployed: Deployed,
  roles: readonly DeployedRole[],
  claims: readonly Claim[],
): (Mutant & { readonly claim: Claim })[] {
  return claims
    .filter(({ byDenial }) => byDenial !== true)
    .flatMap((claim) =>
      roles
        .filter(({ name }) => !claim.only.includes(name) && (claim.among?.includes(name) ?? true))
        .map((role) => {
          const Action = [...new Set(claim.asked.map(({ action }) => action))];
          const given: Policy = { name: 'given', statements: [{ Effect: 'Allow', Action, Resource: ['*'] }] };
          const wider = { ...role, identity: [...role.identity, given] };
          return { at: role.name, sid: claim.name, change: 'given', deployed, roles: [wider], claim };
        }),
    );
}

function denials({ statements }: Policy): Statement[] {
  return statements.filter(({ Effect }) => Effect === 'Deny');
}

function widened(statement: Statement): { change: string; wider: Statement }[] {
  const { Condition, ...unconditional } = statement;
  const everywhere = statement.Resource?.includes('*') === true;
  return [
    ...(everywhere ? [] : [{ change: 'on any resource', wider: { ...statement, Resource: ['*'] } }]),
    ...(Condition === undefined ? [] : [{ change: 'under no condition', wider: unconditional }]),
  ];
}

function without(policy: Policy, statement: Statement): Policy {
  return { ...policy, statements: policy.statements.filter((one) => one !== statement) };
}

function replaced(policy: Policy, statement: Statement, by: Statement): Policy {
  return { ...policy, statements: policy.statements.map((one) => (one === statement ? by : one)) };
}

function withPolicy(role: DeployedRole, policy: Policy, by: Policy): DeployedRole {
  return { ...role, identity: role.identity.map((one) => (one === policy ? by : one)) };
}
