import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { PolicyStatement, type PolicyStatementProps, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Deployment } from './deployment.ts';
import { colonArn, namesOf, ruleArn } from './names.ts';

const kept = { removalPolicy: RemovalPolicy.RETAIN };

/** The key of the case file, of the logs and of the operator's topic, each bound by what it encrypts. */
export function dataKey(stack: Stack, deployment: Deployment): Key {
  const names = namesOf(deployment);
  const key = new Key(stack, 'DataKey', {
    description: 'encrypts the case file, the logs and the alarms of Caregate',
    enableKeyRotation: true,
    ...kept,
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'LogsOfOurs',
      principals: [new ServicePrincipal(`logs.${deployment.region}.amazonaws.com`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: {
        ArnEquals: {
          'kms:EncryptionContext:aws:logs:arn': [names.functionLogs, names.machineLogs, names.pageLogs].map(
            (group) => colonArn(stack, 'logs', 'log-group', group),
          ),
        },
      },
    }),
  );
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsToTheOperator',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: {
        StringEquals: {
          'aws:SourceAccount': stack.account,
          'kms:EncryptionContext:aws:sns:topicArn': stack.formatArn({
            service: 'sns',
            resource: names.topic,
          }),
        },
      },
    }),
  );
  return key;
}

/** The key that mails are encrypted with on arrival. SES may use it for our rule, and not for another's. */
export function inboxKey(stack: Stack, deployment: Deployment): Key {
  const key = new Key(stack, 'InboxKey', {
    description: 'encrypts the inbox of Caregate',
    enableKeyRotation: true,
    ...kept,
  });
  key.addToResourcePolicy(
    fromReceiver(stack.account, ruleArn(stack, deployment), {
      sid: 'ReceiverEncrypts',
      actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
      resources: ['*'],
    }),
  );
  return key;
}

/** The key that approval links are signed with: ECDSA on P-256, verified by its public half without a call. */
export function signingKey(stack: Stack): Key {
  return new Key(stack, 'SigningKey', {
    description: 'signs the approval links of Caregate',
    keySpec: KeySpec.ECC_NIST_P256,
    keyUsage: KeyUsage.SIGN_VERIFY,
    ...kept,
  });
}

/** Lets SES do something on behalf of one rule of one account: anyone can have a rule that names our bucket. */
export function fromReceiver(
  account: string,
  rule: string,
  statement: Pick<PolicyStatementProps, 'sid' | 'actions' | 'resources'>,
): PolicyStatement {
  return new PolicyStatement({
    ...statement,
    principals: [new ServicePrincipal('ses.amazonaws.com')],
    conditions: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': rule } },
  });
}
