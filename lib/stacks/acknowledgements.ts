import { type App, type Stack, Validations } from 'aws-cdk-lib';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, HIPAASecurityChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import type { CaseFileStack } from './casefile.ts';

/** A finding of cdk-nag that stands, with why. */
export interface Acknowledgement {
  /** The rule's id, with what it found in brackets where one rule finds several things. */
  readonly finding: RegExp;
  /** The paths of the resources, without the deployment's name. */
  readonly where: RegExp;
  readonly reason: string;
}

/** Everything that is acknowledged. A finding that stands nowhere here makes synthesis fail. */
export const acknowledgements: readonly Acknowledgement[] = [
  {
    finding: /^AwsSolutions-IAM5\[Resource::<(?:Cases|Inbox)\w+\.Arn>\/[\w*/.-]+\]$/,
    where: /^(?:workflow\/Duty-[a-z-]+|case-file\/ForgetContent)\//,
    reason:
      'a key holds ids, numbers and digests that are not known beforehand; each pattern names one kind of object',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:aws:states:[\w:<>.-]+:execution:[\w-]+:\*\]$/,
    where: /^workflow\/Duty-audit\//,
    reason: 'executions are named after cases; the pattern is all executions of one machine',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^workflow\/Duty-(?:decide|sweep)\//,
    reason: 'states:SendTaskSuccess takes no resource: a task token names its own execution',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^workflow\/Duty-health\//,
    reason: 'asking what the mail service of the account is set to takes no resource',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^workflow\/MachineRole\//,
    reason: 'setting up the delivery of logs and sending traces take no resource',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^mailbox\/ActivationRole\//,
    reason: 'reading and setting the active rule set of a region take no resource',
  },
  {
    finding: /^AwsSolutions-APIG4$/,
    where: /^workflow\/\w+Route\//,
    reason:
      'pages are opened by signed links, which the functions verify; deciding needs a code from the mail besides',
  },
  {
    finding: /^AwsSolutions-SQS3$/,
    where: /^sweep\/Failures\//,
    reason: 'is itself the queue of what failed, and an alarm watches its depth',
  },
  {
    finding: /^HIPAA\.Security-DynamoDBInBackupPlan$/,
    where: /^case-file\/\w+Table\//,
    reason:
      'can be restored to any moment of the last 35 days; a vault of backups would keep what a person asked to have forgotten',
  },
  {
    finding: /^HIPAA\.Security-S3BucketReplicationEnabled$/,
    where: /^case-file\/(?:Cases|Inbox|AccessLogs)\//,
    reason: 'a copy elsewhere would outlive what is forgotten; versions and retention keep the objects here',
  },
  {
    finding: /^HIPAA\.Security-S3DefaultEncryptionKMS$/,
    where: /^case-file\/AccessLogs\//,
    reason:
      'the service that writes access logs cannot use a key of a customer; they hold keys and no content',
  },
  {
    finding: /^HIPAA\.Security-IAMNoInlinePolicy$/,
    where:
      /^(?:workflow\/(?:Role-[a-z-]+|MachineRole)|mailbox\/ActivationRole|sweep\/SchedulerRole)\/DefaultPolicy\//,
    reason: 'belongs to one role and goes with it; a policy of its own could be given to another role',
  },
  {
    finding: /^HIPAA\.Security-LambdaConcurrency$/,
    where: /^(?:workflow\/Handler-[a-z-]+|mailbox\/ActivationFunction)\//,
    reason:
      'a new account has ten executions at once and lets none be reserved; caps bound what one circle starts',
  },
  {
    finding: /^HIPAA\.Security-LambdaDLQ$/,
    where: /^workflow\/Handler-(?!ingest\/|report\/|audit\/|sweep\/)[a-z-]+\//,
    reason: 'is waited for by the machine, by a page or by a person, and they get the error',
  },
  {
    finding: /^HIPAA\.Security-LambdaDLQ$/,
    where: /^mailbox\/ActivationFunction\//,
    reason: 'answers CloudFormation, which rolls the change back if no answer comes',
  },
  {
    finding: /^HIPAA\.Security-LambdaInsideVPC$/,
    where: /^(?:workflow\/Handler-[a-z-]+|mailbox\/ActivationFunction)\//,
    reason:
      'there is nothing in a network to reach: services are called over TLS with rights of one role, and nothing listens',
  },
];

/**
 * Has cdk-nag check the stacks when they are synthesized, by its rules for AWS and for health data. What is acknowledged
 * is written to the resource that it is about, with its reason; any other finding makes synthesis fail.
 * @param prefix what the names of the stacks begin with
 * @param caseFile the stack whose buckets the rights of other stacks name
 * @returns the acknowledgements that something was found for
 */
export function checkStacks(app: App, prefix: string, caseFile: CaseFileStack): Set<Acknowledgement> {
  const packs = [new AwsSolutionsChecks(app), new HIPAASecurityChecks(app)];
  const buckets = [caseFile.cases, caseFile.inbox].map((bucket) => namesOfArn(caseFile, bucket));
  const used = new Set<Acknowledgement>();
  for (const { ruleName, violatingResources } of packs.flatMap(
    (pack) => pack.validateScope(app).violations,
  )) {
    for (const { constructPath = '' } of violatingResources) {
      const path = constructPath.slice(prefix.length + 1);
      const known = acknowledgements.find(({ finding, where }) => finding.test(ruleName) && where.test(path));
      if (known === undefined) continue;
      used.add(known);
      const validations = Validations.of(constructAt(app, constructPath));
      for (const id of new Set([ruleName, ...buckets.map((rename) => rename(ruleName))])) {
        validations.acknowledge({ id, reason: known.reason });
      }
    }
  }
  Validations.of(app).addPlugins(...packs);
  return used;
}

function constructAt(app: App, path: string): IConstruct {
  return path.split('/').reduce((scope: IConstruct, id) => scope.node.findChild(id), app);
}

/** A finding calls a bucket of another stack by its logical id until stacks are tied together, and by its export then. */
function namesOfArn(stack: Stack, bucket: Bucket): (finding: string) => string {
  const id = stack.getLogicalId(bucket.node.defaultChild as CfnBucket);
  const imported: { 'Fn::ImportValue': string } = stack.resolve(stack.exportValue(bucket.bucketArn));
  return (finding) => finding.replace(`<${id}.Arn>`, imported['Fn::ImportValue']);
}
