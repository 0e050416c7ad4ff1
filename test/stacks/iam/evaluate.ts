import { type Context, holds } from './condition.ts';
import { isAction, isArn } from './pattern.ts';
import type { Policy, Statement } from './policy.ts';

/** Who asks: a role of the account, or a service of AWS. */
export type Principal =
  | {
      readonly kind: 'role';
      readonly arn: string;
      readonly identity: readonly Policy[];
      /** The permissions boundary, where the role has one. */
      readonly boundary?: Policy | undefined;
    }
  | { readonly kind: 'service'; readonly name: string };

/** One request, as IAM sees it. */
export interface Access {
  readonly principal: Principal;
  readonly action: string;
  /** An ARN; `*` for an action that has no resource. */
  readonly resource: string;
  readonly context?: Context;
  /** The policy of the resource that is asked for, where it has one. */
  readonly resourcePolicy?: Policy | undefined;
}

/** The decision and the statement that made it, as `policy/Sid`. */
export interface Verdict {
  readonly decision: 'allowed' | 'explicitly denied' | 'implicitly denied';
  readonly by: string;
}

/**
 * Decides on a request within one account, by the rules that IAM documents: a matching Deny in any policy decides; else
 * an Allow in an identity policy that the boundary allows too, or an Allow in the resource's policy that names the
 * principal. A key's policy, and a role's trust in who takes it on, must themselves allow, or hand the decision to the account;
 * the account's other resources need not. A service has no policies of its own.
 */
export function evaluate(access: Access): Verdict {
  const { principal, resourcePolicy } = access;
  const own = principal.kind === 'role' ? principal.identity : [];
  const boundary = principal.kind === 'role' ? principal.boundary : undefined;
  const context = contextOf(access);
  const all = [...own, ...listed(boundary), ...listed(resourcePolicy)];
  const denial = firstMatch('Deny', all, access, context);
  if (denial !== undefined) return { decision: 'explicitly denied', by: denial };

  const withinBoundary =
    boundary === undefined || firstMatch('Allow', [boundary], access, context) !== undefined;
  const granted = firstMatch('Allow', listed(resourcePolicy), access, context, 'named');
  if (granted !== undefined && (withinBoundary || principal.kind === 'service')) {
    return { decision: 'allowed', by: granted };
  }
  const delegated =
    !/^(?:kms:|sts:AssumeRole)/i.test(access.action) ||
    firstMatch('Allow', listed(resourcePolicy), access, context, 'account') !== undefined;
  const allowed = firstMatch('Allow', own, access, context);
  if (allowed !== undefined && withinBoundary && delegated) return { decision: 'allowed', by: allowed };
  return { decision: 'implicitly denied', by: 'no statement' };
}

function listed(policy: Policy | undefined): readonly Policy[] {
  return policy === undefined ? [] : [policy];
}

/** What IAM itself adds to what a request says. */
function contextOf({ principal, context = {} }: Access): Context {
  if (principal.kind === 'service') {
    const service = { 'aws:PrincipalIsAWSService': 'true', 'aws:PrincipalServiceName': principal.name };
    return { ...service, ...context };
  }
  const account = principal.arn.split(':')[4] ?? '';
  return { 'aws:PrincipalArn': principal.arn, 'aws:PrincipalAccount': account, ...context };
}

/**
 * How a resource's policy must name the principal for an Allow: itself (or everybody), or the account that it belongs
 * to, which hands the decision to the identity policies. A Deny counts either way.
 */
type Naming = 'named' | 'account';

function firstMatch(
  effect: Statement['Effect'],
  policies: readonly Policy[],
  access: Access,
  context: Context,
  naming?: Naming,
): string | undefined {
  for (const { name, statements } of policies) {
    for (const [at, statement] of statements.entries()) {
      if (statement.Effect !== effect || !isAbout(statement, access)) continue;
      if (!isFor(statement, access.principal, naming)) continue;
      if (holds(statement.Condition, context)) return `${name}/${statement.Sid ?? at}`;
    }
  }
  return undefined;
}

function isAbout(statement: Statement, { action, resource }: Access): boolean {
  const { Action, NotAction, Resource, NotResource } = statement;
  if (Action !== undefined && !Action.some((pattern) => isAction(pattern, action))) return false;
  if (NotAction?.some((pattern) => isAction(pattern, action)) === true) return false;
  const matches = (pattern: string): boolean =>
    pattern === '*' || (resource !== '*' && isArn(pattern, resource));
  if (Resource !== undefined && !Resource.some(matches)) return false;
  return NotResource?.some(matches) !== true;
}

/** A statement without a principal stands in a policy of the principal itself. */
function isFor({ Principal }: Statement, principal: Principal, naming?: Naming): boolean {
  if (Principal === undefined) return true;
  if (Principal === '*') return naming !== 'account';
  if (principal.kind === 'service') return Principal.Service?.includes(principal.name) === true;
  const account = principal.arn.split(':')[4] ?? '';
  const whole = [account, `arn:aws:iam::${account}:root`];
  return (Principal.AWS ?? []).some((named) => {
    if (whole.includes(named)) return naming !== 'named';
    return naming !== 'account' && (named === '*' || named === principal.arn);
  });
}
