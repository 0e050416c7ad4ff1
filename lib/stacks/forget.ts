import type { Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { contentPatterns, inboxListing, inboxPattern } from './places.ts';

const deletions = ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:BypassGovernanceRetention'];

/**
 * Lets the role that forgets take away the bytes of mails and documents, on a person's wish or when their time is over:
 * digests stay, and an audit says `erased`. It finds their versions and deletes them, and does not even read them.
 */
export function letForget(
  stack: Stack,
  role: Role,
  { cases, inbox }: { readonly cases: Bucket; readonly inbox: Bucket },
): void {
  const content = [
    ...contentPatterns.map((pattern) => cases.arnForObjects(pattern)),
    inbox.arnForObjects(inboxPattern),
  ];
  const finding = (sid: string, bucket: Bucket, prefixes: readonly string[]) =>
    new PolicyStatement({
      sid,
      actions: ['s3:ListBucketVersions'],
      resources: [bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': prefixes } },
    });
  new ManagedPolicy(stack, 'ForgetContent', {
    description: 'Takes away the bytes of mails and documents, and nothing else',
    roles: [role],
    statements: [
      new PolicyStatement({
        sid: 'ForgetContent',
        actions: deletions,
        resources: content,
      }),
      finding('FindInCases', cases, contentPatterns),
      finding('FindInInbox', inbox, [`${inboxListing}*`]),
      new PolicyStatement({
        sid: 'DeletesNothingElse',
        effect: Effect.DENY,
        actions: deletions,
        notResources: content,
      }),
      new PolicyStatement({
        sid: 'FindsNowhereElse',
        effect: Effect.DENY,
        actions: ['s3:ListBucketVersions'],
        notResources: [cases.bucketArn, inbox.bucketArn],
      }),
      new PolicyStatement({
        sid: 'FindsNothingElse',
        effect: Effect.DENY,
        actions: ['s3:ListBucketVersions'],
        resources: ['*'],
        conditions: { StringNotLike: { 's3:prefix': [...contentPatterns, `${inboxListing}*`] } },
      }),
      new PolicyStatement({
        sid: 'NothingElse',
        effect: Effect.DENY,
        notActions: [...deletions, 's3:ListBucketVersions'],
        resources: ['*'],
      }),
    ],
  });
}
