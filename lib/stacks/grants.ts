import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { CaseFileStack } from './casefile.ts';
import { dutyOf, type Need } from './duties.ts';

export interface GrantContext {
  readonly stack: Stack;
  readonly caseFile: CaseFileStack;
  readonly machineArn: string;
  readonly notifyArn: string;
}

interface Grant {
  readonly actions: string[];
  readonly resources: string[];
}

/** Gives a function what its duty names, and the case file: to read, and to add to. Nobody may delete. */
export function grantDuty(name: string, handler: LambdaFunction, context: GrantContext): void {
  const { cases } = context.caseFile;
  const given = grantsFor(context);
  const grants = [
    { actions: ['s3:GetObject', 's3:PutObject'], resources: [cases.arnForObjects('*')] },
    { actions: ['s3:ListBucket'], resources: [cases.bucketArn] },
    ...dutyOf(name).needs.flatMap((need) => given[need]),
  ];
  for (const grant of grants) handler.addToRolePolicy(new PolicyStatement(grant));
}

function grantsFor({ stack, caseFile, machineArn, notifyArn }: GrantContext): Record<Need, Grant[]> {
  const { inbox, signingKey, approvalTable, caseTable } = caseFile;
  const rows = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:Query'];
  const executions = `${machineArn.replace(':stateMachine:', ':execution:')}:*`;
  return {
    inbox: [
      { actions: ['s3:GetObject'], resources: [inbox.arnForObjects('*')] },
      { actions: ['s3:ListBucket'], resources: [inbox.bucketArn] },
    ],
    model: [{ actions: ['bedrock:InvokeModel'], resources: modelArns(stack) }],
    register: [{ actions: rows, resources: [approvalTable.tableArn, `${approvalTable.tableArn}/index/*`] }],
    index: [{ actions: rows, resources: [caseTable.tableArn] }],
    sign: [{ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [signingKey.keyArn] }],
    verify: [{ actions: ['kms:GetPublicKey'], resources: [signingKey.keyArn] }],
    send: [
      {
        actions: ['ses:SendRawEmail'],
        resources: [stack.formatArn({ service: 'ses', resource: 'identity', resourceName: '*' })],
      },
    ],
    notify: [{ actions: ['lambda:InvokeFunction'], resources: [notifyArn] }],
    start: [{ actions: ['states:StartExecution'], resources: [machineArn] }],
    // These take no resource: a token names its own execution.
    callback: [{ actions: ['states:SendTaskSuccess', 'states:SendTaskFailure'], resources: ['*'] }],
    history: [
      { actions: ['states:GetExecutionHistory', 'states:DescribeExecution'], resources: [executions] },
    ],
  };
}

/** Any model and any inference profile of the account: which of them is a matter of the deployment's file. */
function modelArns(stack: Stack): string[] {
  return [
    `arn:${stack.partition}:bedrock:*::foundation-model/*`,
    stack.formatArn({ service: 'bedrock', resource: 'inference-profile', resourceName: '*' }),
  ];
}
