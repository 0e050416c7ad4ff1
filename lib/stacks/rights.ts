import type { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { approvalViewSchema } from '../approval/entry.ts';
import { queueIndex } from '../approval/table.ts';
import type { Circle } from '../provenance/circle.ts';
import { dutyOf, type Need } from './duties.ts';
import { modelAccess, type NamedModel } from './models.ts';
import { inboxListing, inboxPattern, listings, type Place, places } from './places.ts';

/** What the functions' rights are about. */
export interface Estate {
  readonly stack: Stack;
  readonly cases: Bucket;
  readonly inbox: Bucket;
  readonly caseTable: Table;
  readonly approvalTable: Table;
  readonly signingKey: Key;
  /** Encrypts the case bucket. */
  readonly dataKey: Key;
  readonly inboxKey: Key;
  readonly machineArn: string;
  readonly notifyArn: string;
  /** The ARN of the functions' log. */
  readonly log: string;
  /** The configured models of each function that asks one. */
  readonly models: Readonly<Record<string, readonly NamedModel[]>>;
  readonly circles: readonly Circle[];
  /** The configuration set that reports what became of a letter. */
  readonly configurationSet: string;
}

/** One right. */
export interface Grant {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** The attributes of an approval that may be shown: everything but its token, codes and links. */
export const shownAttributes: readonly string[] = Object.keys(approvalViewSchema.shape);

/** From whom a function's mails come and to whom they may go: one sender and one list of addresses for each circle. */
export function correspondence(
  name: string,
  { circles }: Estate,
): { senders: readonly string[]; recipients: readonly string[] } {
  const letters = name === 'execute';
  return {
    senders: sorted(circles.map(({ senders }) => (letters ? senders.letters : senders.notices))),
    recipients: sorted(
      circles.flatMap(({ contacts, people }) => (letters ? contacts : people).map(({ email }) => email)),
    ),
  };
}

function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** Everything that a function may do: what its duty names. That it writes its log is no matter of its duty. */
export function grantsOf(name: string, estate: Estate): Grant[] {
  return [
    ...objectGrants(name, estate),
    ...dutyOf(name).needs.flatMap((need) => needed[need](estate, name)),
    ...keyGrants(name, estate),
  ];
}

/** The keys of objects in the case bucket that a function reads and writes. */
export function objectArns(name: string, { cases }: Estate): { reads: string[]; writes: string[] } {
  const { reads, writes } = dutyOf(name);
  const arns = (of: readonly Place[]): string[] =>
    sorted(of.map((place) => cases.arnForObjects(places[place])));
  return { reads: arns([...reads, ...writes]), writes: arns(writes) };
}

function objectGrants(name: string, estate: Estate): Grant[] {
  const { reads, writes } = objectArns(name, estate);
  const { lists } = dutyOf(name);
  const grants: Grant[] = [];
  if (reads.length > 0) grants.push({ sid: 'ReadObjects', actions: ['s3:GetObject'], resources: reads });
  if (writes.length > 0) grants.push({ sid: 'CreateObjects', actions: ['s3:PutObject'], resources: writes });
  if (lists.length > 0) {
    grants.push({
      sid: 'ListObjects',
      actions: ['s3:ListBucket'],
      resources: [estate.cases.bucketArn],
      conditions: { StringLike: { 's3:prefix': lists.map((listing) => listings[listing]) } },
    });
  }
  return grants;
}

/** A key of content serves for the bucket that it belongs to, through S3, and not by itself. */
function keyGrants(name: string, { stack, cases, inbox, dataKey, inboxKey }: Estate): Grant[] {
  const { reads, writes, needs } = dutyOf(name);
  const grant = (sid: string, key: Key, bucket: Bucket, actions: readonly string[]): Grant => ({
    sid,
    actions,
    resources: [key.keyArn],
    conditions: {
      StringEquals: {
        'kms:ViaService': `s3.${stack.region}.amazonaws.com`,
        'kms:EncryptionContext:aws:s3:arn': bucket.bucketArn,
      },
    },
  });
  return [
    ...(reads.length + writes.length > 0 ? [grant('DecryptCaseFile', dataKey, cases, ['kms:Decrypt'])] : []),
    ...(writes.length > 0 ? [grant('EncryptCaseFile', dataKey, cases, ['kms:GenerateDataKey'])] : []),
    ...(needs.includes('inbox') ? [grant('DecryptInbox', inboxKey, inbox, ['kms:Decrypt'])] : []),
  ];
}

type Give = (estate: Estate, name: string) => Grant[];

const onTable =
  (table: 'caseTable' | 'approvalTable', sid: string, action: string): Give =>
  (estate) => [{ sid, actions: [`dynamodb:${action}`], resources: [estate[table].tableArn] }];

const needed: Readonly<Record<Need, Give>> = {
  inbox: ({ inbox }) => [
    { sid: 'ReadInbox', actions: ['s3:GetObject'], resources: [inbox.arnForObjects(inboxPattern)] },
  ],
  'list-inbox': ({ inbox }) => [
    {
      sid: 'ListInbox',
      actions: ['s3:ListBucket'],
      resources: [inbox.bucketArn],
      conditions: { StringLike: { 's3:prefix': [inboxListing] } },
    },
  ],
  model: ({ stack, models }, name) =>
    (models[name] ?? []).flatMap((model, at) => {
      const { entry, behind } = modelAccess(stack, model);
      const asks = { actions: ['bedrock:InvokeModel'] };
      const direct: Grant = { sid: `AskModel${at + 1}`, ...asks, resources: [entry] };
      const conditions = { StringEquals: { 'bedrock:InferenceProfileArn': entry } };
      return behind.length === 0
        ? [direct]
        : [direct, { sid: `AskThroughProfile${at + 1}`, ...asks, resources: behind, conditions }];
    }),
  'view-register': ({ approvalTable }) => [
    {
      sid: 'ViewApprovals',
      actions: ['dynamodb:GetItem'],
      resources: [approvalTable.tableArn],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': shownAttributes },
        Null: { 'dynamodb:Attributes': 'false' },
      },
    },
  ],
  'list-register': ({ approvalTable }) => [
    {
      sid: 'ListApprovals',
      actions: ['dynamodb:Query'],
      resources: [`${approvalTable.tableArn}/index/${queueIndex}`],
    },
  ],
  register: onTable('approvalTable', 'ReadApprovals', 'GetItem'),
  'note-register': onTable('approvalTable', 'NoteApprovals', 'UpdateItem'),
  'create-register': onTable('approvalTable', 'CreateApprovals', 'PutItem'),
  'find-index': onTable('caseTable', 'FindCases', 'GetItem'),
  'list-index': onTable('caseTable', 'ListCases', 'Query'),
  'note-index': onTable('caseTable', 'NoteCases', 'UpdateItem'),
  sign: ({ signingKey }) => [
    {
      sid: 'SignLinks',
      actions: ['kms:Sign'],
      resources: [signingKey.keyArn],
      conditions: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' } },
    },
  ],
  verify: ({ signingKey }) => [
    { sid: 'ReadPublicKey', actions: ['kms:GetPublicKey'], resources: [signingKey.keyArn] },
  ],
  send: (estate, name) => {
    const { senders, recipients } = correspondence(name, estate);
    return [
      {
        sid: 'SendMails',
        actions: ['ses:SendRawEmail'],
        resources: sendingResources(estate, [...senders, ...recipients]),
        conditions: {
          StringEquals: { 'ses:FromAddress': senders },
          'ForAllValues:StringEquals': { 'ses:Recipients': recipients },
          Null: { 'ses:Recipients': 'false' },
        },
      },
    ];
  },
  notify: ({ notifyArn }) => [
    { sid: 'HandToNotify', actions: ['lambda:InvokeFunction'], resources: [notifyArn] },
  ],
  start: ({ machineArn }) => [
    { sid: 'StartCases', actions: ['states:StartExecution'], resources: [machineArn] },
  ],
  // A token names its own execution: the action takes no resource.
  callback: () => [{ sid: 'EndWaits', actions: ['states:SendTaskSuccess'], resources: ['*'] }],
  history: ({ machineArn }) => [
    {
      sid: 'ReadHistories',
      actions: ['states:GetExecutionHistory'],
      resources: [`${machineArn.replace(':stateMachine:', ':execution:')}:*`],
    },
  ],
  // What the account's mail service is set to: neither action has a resource.
  status: () => [
    {
      sid: 'AskMailService',
      actions: ['ses:GetAccountSendingEnabled', 'ses:DescribeActiveReceiptRuleSet'],
      resources: ['*'],
    },
  ],
};

/**
 * SES asks for the right to the identity that a sender was verified as, its address or its domain; in the sandbox for
 * that to the recipient's address too; and for that to the configuration set that a mail names.
 */
function sendingResources(
  { stack, circles, configurationSet }: Estate,
  addresses: readonly string[],
): string[] {
  const arn = (resource: string, resourceName: string) =>
    stack.formatArn({ service: 'ses', resource, resourceName });
  const domains = circles.flatMap(({ senders }) =>
    Object.values(senders).map((address) => address.slice(address.lastIndexOf('@') + 1)),
  );
  return [
    ...sorted([...domains, ...addresses]).map((identity) => arn('identity', identity)),
    arn('configuration-set', configurationSet),
  ];
}
