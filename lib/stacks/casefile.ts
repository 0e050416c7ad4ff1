import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, AnyPrincipal, Effect, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type IBucket,
  ObjectLockRetention,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { approvalTable } from '../approval/table.ts';
import { caseTable } from '../casefile/caseindex.ts';
import { mailPrefix } from '../mail/ingest.ts';
import type { Deployment } from './deployment.ts';
import { letForget } from './forget.ts';
import { Guards } from './guards.ts';
import { dataKey, fromReceiver, inboxKey } from './keys.ts';
import { namesOf, ruleArn } from './names.ts';
import { tableOf } from './tables.ts';

export interface CaseFileProps extends StackProps {
  readonly deployment: Deployment;
}

/** Where budgets lie, the only objects that are ever replaced: one a day, each time against the version that was read. */
export const budgetPrefix = 'budgets/';

/** What must outlive any release: mails, the case file, its index and the register of approvals. */
export class CaseFileStack extends Stack {
  readonly cases: Bucket;
  readonly inbox: Bucket;
  readonly accessLogs: Bucket;
  readonly caseTable: Table;
  readonly approvalTable: Table;
  /** Encrypts the case file, the logs and the operator's topic. */
  readonly dataKey: Key;
  /** Encrypts mails as they arrive: SES may use this key and no other. */
  readonly inboxKey: Key;
  /** The only role that may delete, and content alone. No function has it; a person with a second factor takes it on. */
  readonly forgetRole: Role;

  constructor(scope: Construct, id: string, props: CaseFileProps) {
    super(scope, id, props);
    const { deployment } = props;
    this.dataKey = dataKey(this, deployment);
    this.inboxKey = inboxKey(this, deployment);
    this.accessLogs = this.#accessLogs();
    // Two buckets: SES refuses to receive into one with a default retention, which every object of the case file gets.
    this.cases = this.#cases(deployment);
    this.inbox = this.#inbox(deployment);
    this.caseTable = tableOf(this, 'CaseTable', caseTable('cases'));
    this.approvalTable = tableOf(this, 'ApprovalTable', approvalTable('approvals'));
    const guards = new Guards(this, deployment);
    guards.guardCases(this.cases);
    guards.guardInbox(this.inbox);
    this.forgetRole = new Role(this, 'ForgetRole', {
      roleName: namesOf(deployment).roleOf('forget'),
      description: 'Forgets what retention or a person asks to have forgotten',
      assumedBy: new AccountPrincipal(this.account).withConditions({
        Bool: { 'aws:MultiFactorAuthPresent': 'true' },
      }),
    });
    letForget(this, this.forgetRole, { cases: this.cases, inbox: this.inbox });
    new CfnOutput(this, 'CaseBucketName', { value: this.cases.bucketName });
    new CfnOutput(this, 'InboxBucketName', { value: this.inbox.bucketName });
    new CfnOutput(this, 'CaseTableName', { value: this.caseTable.tableName });
    new CfnOutput(this, 'ApprovalTableName', { value: this.approvalTable.tableName });
  }

  #cases({ retention }: Deployment): Bucket {
    const bucket = this.#bucket('Cases', {
      encryptionKey: this.dataKey,
      // Governance, not compliance: what a person asks to have forgotten can be forgotten, by one role.
      objectLockEnabled: true,
      objectLockDefaultRetention: ObjectLockRetention.governance(Duration.days(retention.caseFileDays)),
      lifecycleRules: [
        { id: 'unfinished', abortIncompleteMultipartUploadAfter: Duration.days(7) },
        { id: 'old-budgets', prefix: budgetPrefix, noncurrentVersionExpiration: Duration.days(30) },
      ],
    });
    for (const statement of createOnce(bucket)) bucket.addToResourcePolicy(statement);
    return bucket;
  }

  #inbox(deployment: Deployment): Bucket {
    const bucket = this.#bucket('Inbox', {
      encryptionKey: this.inboxKey,
      lifecycleRules: [
        {
          id: 'copied-into-cases',
          expiration: Duration.days(deployment.retention.inboxDays),
          noncurrentVersionExpiration: Duration.days(30),
          abortIncompleteMultipartUploadAfter: Duration.days(7),
        },
      ],
    });
    bucket.addToResourcePolicy(
      fromReceiver(this.account, ruleArn(this, deployment), {
        sid: 'ReceiverAdds',
        actions: ['s3:PutObject'],
        resources: [bucket.arnForObjects(`${mailPrefix}*`)],
      }),
    );
    return bucket;
  }

  #bucket(id: string, props: BucketProps): Bucket {
    return new Bucket(this, id, {
      ...guarded,
      encryption: BucketEncryption.KMS,
      bucketKeyEnabled: true,
      serverAccessLogsBucket: this.accessLogs as IBucket,
      serverAccessLogsPrefix: `${id.toLowerCase()}/`,
      ...props,
    });
  }

  #accessLogs(): Bucket {
    return new Bucket(this, 'AccessLogs', {
      ...guarded,
      // The service that writes access logs cannot use a key of ours.
      encryption: BucketEncryption.S3_MANAGED,
      lifecycleRules: [
        { id: 'a-year', expiration: Duration.days(365), noncurrentVersionExpiration: Duration.days(1) },
      ],
    });
  }
}

const guarded: BucketProps = {
  versioned: true,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  removalPolicy: RemovalPolicy.RETAIN,
};

/**
 * Refuses whatever could replace an object, to everybody. `s3:ObjectCreationOperation` leaves out the parts of a
 * multipart upload, which take no condition of their own; completing one does.
 */
function createOnce(bucket: Bucket): PolicyStatement[] {
  const budgets = bucket.arnForObjects(`${budgetPrefix}*`);
  const refusal = (sid: string, missing: Record<string, string>, where: object) =>
    new PolicyStatement({
      sid,
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['s3:PutObject'],
      conditions: { Null: missing, Bool: { 's3:ObjectCreationOperation': 'true' } },
      ...where,
    });
  return [
    refusal('CreateOnce', { 's3:if-none-match': 'true' }, { notResources: [budgets] }),
    refusal(
      'ReplaceWhatWasRead',
      { 's3:if-none-match': 'true', 's3:if-match': 'true' },
      { resources: [budgets] },
    ),
  ];
}
