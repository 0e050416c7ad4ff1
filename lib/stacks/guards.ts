import type { Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Deployment } from './deployment.ts';
import { holdersOf, writersOf } from './duties.ts';
import { namesOf } from './names.ts';
import { consentsPattern, contentPatterns, effectsPattern, inboxPattern } from './places.ts';

/**
 * What a bucket or a key denies to everybody in the account, administrators too. It stands at the data, so that no role
 * that is made later is beyond it.
 */
export class Guards {
  readonly #stack: Stack;
  readonly #deployment: Deployment;

  constructor(stack: Stack, deployment: Deployment) {
    this.#stack = stack;
    this.#deployment = deployment;
  }

  /** Effects, consents and content, in the bucket of the case files. */
  guardCases(cases: Bucket): void {
    const within = (patterns: readonly string[]): string[] =>
      patterns.map((pattern) => cases.arnForObjects(pattern));
    this.#deny(cases, 'OnlyExecuteWritesEffects', {
      actions: ['s3:PutObject'],
      resources: within([effectsPattern]),
      conditions: this.#unless(writersOf('letter')),
    });
    this.#deny(cases, 'OnlyDecidersWriteConsents', {
      actions: ['s3:PutObject'],
      resources: within([consentsPattern]),
      conditions: this.#unless(writersOf('consent')),
    });
    this.#guardContent(cases, contentPatterns);
  }

  /** Mails as they arrived. */
  guardInbox(inbox: Bucket): void {
    this.#guardContent(inbox, [inboxPattern]);
  }

  /** The key that links are signed with. */
  guardSigningKey(key: Key): void {
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OnlyAskersSign',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: this.#unless(holdersOf('sign')),
      }),
    );
    // A grant would let its holder sign without any role's policy saying so.
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'NobodyLendsTheKey',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['kms:CreateGrant'],
        resources: ['*'],
      }),
    );
  }

  /** Content can be forgotten by one role. Nothing else is ever deleted, and the bucket keeps its rules. */
  #guardContent(bucket: Bucket, content: readonly string[]): void {
    const deletions = ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:BypassGovernanceRetention'];
    const arns = content.map((pattern) => bucket.arnForObjects(pattern));
    this.#deny(bucket, 'NobodyDeletesRecords', { actions: deletions, notResources: arns });
    this.#deny(bucket, 'OnlyForgetDeletesContent', {
      actions: deletions,
      resources: arns,
      conditions: this.#unless(['forget']),
    });
    this.#deny(bucket, 'NobodyChangesTheRules', {
      actions: [...bucketRules],
      resources: [bucket.bucketArn],
      conditions: { ArnNotLike: { 'aws:PrincipalArn': this.#deployer() } },
    });
  }

  #deny(bucket: Bucket, sid: string, about: PolicyStatementProps): void {
    const principals = [new AnyPrincipal()];
    bucket.addToResourcePolicy(new PolicyStatement({ sid, effect: Effect.DENY, principals, ...about }));
  }

  #unless(names: readonly string[]) {
    const { roleOf } = namesOf(this.#deployment);
    return { ArnNotEquals: { 'aws:PrincipalArn': names.map((name) => this.#role(roleOf(name))) } };
  }

  /** What CloudFormation acts as when a deployment is changed: the bootstrap's role, by the name that it is given. */
  #deployer(): string {
    return this.#role('cdk-*-cfn-exec-role-*');
  }

  #role(resourceName: string): string {
    return this.#stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName });
  }
}

/** What makes a bucket keep what was put into it. */
const bucketRules = [
  's3:DeleteBucket',
  's3:DeleteBucketPolicy',
  's3:PutBucketPolicy',
  's3:PutBucketVersioning',
  's3:PutLifecycleConfiguration',
  's3:PutBucketObjectLockConfiguration',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketOwnershipControls',
  's3:PutBucketAcl',
  's3:PutEncryptionConfiguration',
  's3:PutReplicationConfiguration',
] as const;
