import type { Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CaregateError } from '../errors.ts';
import type { ApprovalsStack } from './approvals.ts';
import type { CaseFileStack } from './casefile.ts';
import { type Denial, denialsOf } from './denies.ts';
import { type Deployment, modelStages, modelsOf } from './deployment.ts';
import { colonArn, namesOf } from './names.ts';
import { type Estate, type Grant, grantsOf } from './rights.ts';

export interface GrantContext {
  readonly stack: Stack;
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  readonly approvals: ApprovalsStack;
  readonly machineArn: string;
  readonly notifyArn: string;
}

/**
 * Gives a function's role what the function's duty names, and denies it everything else, in two policies that anyone can
 * read.
 * @throws CaregateError `CONFIGURATION_INVALID` if the circles have more addresses than a policy holds
 */
export function grantDuty(name: string, handler: LambdaFunction, context: GrantContext): void {
  const { stack } = context;
  const estate = estateOf(context);
  const roles = handler.role === undefined ? [] : [handler.role];
  const grants = grantsOf(name, estate);
  const denials = denialsOf(name, estate, handler.deadLetterQueue?.queueArn);
  requireRoom(name, [...grants, ...denials]);
  new ManagedPolicy(stack, `Duty-${name}`, {
    description: `What the duty of ${name} takes`,
    statements: grants.map(allowing),
    roles,
  });
  new ManagedPolicy(stack, `Ceiling-${name}`, {
    description: `What ${name} may not do, whatever else it is given`,
    statements: denials.map(denying),
    roles,
  });
}

function estateOf({ stack, deployment, caseFile, approvals, machineArn, notifyArn }: GrantContext): Estate {
  const { cases, inbox, caseTable, approvalTable, dataKey, inboxKey } = caseFile;
  const { functionLogs, configurationSet } = namesOf(deployment);
  return {
    ...{
      stack,
      cases,
      inbox,
      caseTable,
      approvalTable,
      dataKey,
      inboxKey,
      machineArn,
      notifyArn,
      configurationSet,
    },
    signingKey: approvals.signingKey,
    log: colonArn(stack, 'logs', 'log-group', `${functionLogs}:*`),
    models: Object.fromEntries(modelStages.map((stage) => [stage, modelsOf(deployment.models[stage])])),
    circles: deployment.circles.map(({ circle }) => circle),
  };
}

function allowing({ sid, actions, resources, conditions }: Grant): PolicyStatement {
  return new PolicyStatement({
    sid,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  });
}

function denying({ sid, actions, notActions, resources, notResources, conditions }: Denial): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    ...(actions === undefined ? {} : { actions: [...actions] }),
    ...(notActions === undefined ? {} : { notActions: [...notActions] }),
    ...(resources === undefined ? {} : { resources: [...resources] }),
    ...(notResources === undefined ? {} : { notResources: [...notResources] }),
    ...(conditions === undefined ? {} : { conditions }),
  });
}

/** What IAM takes of a managed policy is 6,144 characters. Of a function that sends, the most are addresses. */
const mostForAddresses = 3072;

function requireRoom(name: string, statements: readonly (Grant | Denial)[]): void {
  const texts = (conditions: Grant['conditions'] = {}): string[] =>
    Object.values(conditions).flatMap((keys) => Object.values(keys).flat());
  const longest = Math.max(
    0,
    ...statements.map(({ conditions }) => texts(conditions).reduce((sum, text) => sum + text.length + 3, 0)),
  );
  if (longest < mostForAddresses) return;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `the circles have more addresses than the policy of \`${name}\` holds; deploy some circles by themselves`,
  );
}
