import { inboxListing, listings, places } from '../../../lib/stacks/places.ts';
import { shownAttributes } from '../../../lib/stacks/rights.ts';
import { type Estate, queueIndexes } from './estate.ts';
import type { Asked } from './requests.ts';
import { account, region } from './symbols.ts';

/** Something that a role may or may not do, in words, with the request that finds out. */
export interface Probe {
  readonly what: string;
  readonly asked: Asked;
}

const created = { 's3:if-none-match': '*', 's3:ObjectCreationOperation': 'true' };

/** A key that a pattern describes. */
export function sampleOf(pattern: string): string {
  return pattern.replaceAll('*', 'x1');
}

const signing = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Everything that a function of Caregate can do with what the deployment has: the rows of docs/permissions.md. */
export function ownProbes(estate: Estate): Probe[] {
  return [
    ...objectProbes(estate),
    ...tableProbes(estate),
    ...mailProbes(estate),
    ...modelProbes(estate),
    ...runProbes(estate),
  ];
}

function objectProbes({ resources: { cases, inbox } }: Estate): Probe[] {
  const object = (key: string) => `${cases}/${key}`;
  return [
    ...Object.entries(places).flatMap(([name, pattern]) => [
      { what: `read ${words(name)}`, asked: { action: 's3:GetObject', resource: object(sampleOf(pattern)) } },
      {
        what: `create ${words(name)}`,
        asked: { action: 's3:PutObject', resource: object(sampleOf(pattern)), context: created },
      },
    ]),
    ...Object.entries(listings).map(([name, prefix]) => ({
      what: `list ${words(name)}`,
      asked: { action: 's3:ListBucket', resource: cases, context: { 's3:prefix': sampleOf(prefix) } },
    })),
    {
      what: 'read a mail of the inbox',
      asked: { action: 's3:GetObject', resource: `${inbox}/${inboxListing}x1` },
    },
    {
      what: 'list the inbox',
      asked: { action: 's3:ListBucket', resource: inbox, context: { 's3:prefix': inboxListing } },
    },
  ];
}

function tableProbes({ resources: { caseTable, approvalTable } }: Estate): Probe[] {
  const row = (what: string, action: string, resource: string, context = {}): Probe => ({
    what,
    asked: { action: `dynamodb:${action}`, resource, context },
  });
  return [
    row('find a line of the index of cases', 'GetItem', caseTable),
    row('list the index of cases', 'Query', caseTable),
    row('change a line of the index of cases', 'UpdateItem', caseTable),
    row('view an approval without its secrets', 'GetItem', approvalTable, {
      'dynamodb:Attributes': [...shownAttributes],
    }),
    row('read an approval with its secrets', 'GetItem', approvalTable),
    row('create an approval', 'PutItem', approvalTable),
    row('change an approval', 'UpdateItem', approvalTable),
    ...queueIndexes.map((index) => row('list open approvals', 'Query', `${approvalTable}/index/${index}`)),
  ];
}

/** A request to send one mail. */
export function sending(from: string, to: readonly string[]): Asked {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return {
    action: 'ses:SendRawEmail',
    resource: `arn:aws:ses:${region}:${account}:identity/${domain}`,
    context: { 'ses:FromAddress': from, ...(to.length === 0 ? {} : { 'ses:Recipients': to }) },
  };
}

function mailProbes({ contacts, people, senders }: Estate): Probe[] {
  return [
    { what: 'send letters to contacts', asked: sending(senders.letters, contacts.slice(0, 1)) },
    { what: 'send notices to people', asked: sending(senders.notices, people.slice(0, 1)) },
    { what: 'ask whether sending is on', asked: { action: 'ses:GetAccountSendingEnabled', resource: '*' } },
    {
      what: 'ask which rules receive',
      asked: { action: 'ses:DescribeActiveReceiptRuleSet', resource: '*' },
    },
  ];
}

function modelProbes({ resources: { models, fallbacks } }: Estate): Probe[] {
  const probe = (what: string, entry: string): Probe => ({
    what,
    asked: { action: 'bedrock:InvokeModel', resource: entry },
  });
  return [
    ...Object.entries(models).map(([stage, { entry }]) => probe(`ask the model of ${stage}`, entry)),
    ...Object.entries(fallbacks).map(([stage, { entry }]) =>
      probe(`ask the fallback model of ${stage}`, entry),
    ),
  ];
}

function runProbes({ resources, log, failures }: Estate): Probe[] {
  const { signingKey, machine, functionArn } = resources;
  const run = `${machine.replace(':stateMachine:', ':execution:')}:x1`;
  const probe = (what: string, action: string, resource: string, context = {}): Probe => ({
    what,
    asked: { action, resource, context },
  });
  return [
    probe('sign a link', 'kms:Sign', signingKey, signing),
    probe('read the public key of links', 'kms:GetPublicKey', signingKey),
    probe('hand a notice to notify', 'lambda:InvokeFunction', functionArn('notify')),
    probe('start a case', 'states:StartExecution', machine),
    probe('end a wait', 'states:SendTaskSuccess', '*'),
    probe('read a history', 'states:GetExecutionHistory', run),
    probe('write the log', 'logs:PutLogEvents', log),
    probe('leave a failed event in the queue', 'sqs:SendMessage', failures),
  ];
}

/**
 * What no role of Caregate has any business with: the same actions on other things, and other actions on the same things.
 * Where a grant or a denial is a little too wide, one of these shows it.
 */
export function strayProbes({ resources, log, contacts, people, senders }: Estate): Probe[] {
  const { cases, inbox, caseTable, approvalTable, machine } = resources;
  const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
  const stray: [action: string, resource: string, context?: Asked['context']][] = [
    ['s3:GetObject', `${cases}/circles/x1/other.json`],
    ['s3:GetObject', `${inbox}/other`],
    ['s3:GetObject', 'arn:aws:s3:::elsewhere/a'],
    ['s3:PutObject', `${cases}/circles/x1/other.json`, created],
    ['s3:PutObject', `${inbox}/${inboxListing}x1`, created],
    ['s3:PutObject', 'arn:aws:s3:::elsewhere/a', created],
    ['s3:ListBucket', cases, { 's3:prefix': '' }],
    ['s3:ListBucket', cases, { 's3:prefix': 'circles/x1/effects/' }],
    ['s3:ListBucket', inbox, { 's3:prefix': 'other/' }],
    ...[inboxListing, ...Object.values(listings).map(sampleOf)].map(
      (prefix): [string, string, Asked['context']] => [
        's3:ListBucket',
        'arn:aws:s3:::elsewhere',
        { 's3:prefix': prefix },
      ],
    ),
    ['dynamodb:GetItem', arn('dynamodb', 'table/elsewhere'), { 'dynamodb:Attributes': [...shownAttributes] }],
    ...['GetItem', 'Query', 'PutItem', 'UpdateItem'].flatMap((action): [string, string][] => [
      [`dynamodb:${action}`, arn('dynamodb', 'table/elsewhere')],
      ...(action === 'PutItem' ? [[`dynamodb:${action}`, caseTable] as [string, string]] : []),
      ...(action === 'Query' ? [[`dynamodb:${action}`, approvalTable] as [string, string]] : []),
    ]),
    ['kms:Sign', arn('kms', 'key/elsewhere'), signing],
    ['kms:GetPublicKey', arn('kms', 'key/elsewhere')],
    ['kms:GenerateDataKey', arn('kms', 'key/elsewhere')],
    ['lambda:InvokeFunction', arn('lambda', 'function:elsewhere')],
    ['states:StartExecution', arn('states', 'stateMachine:elsewhere')],
    ['states:GetExecutionHistory', arn('states', 'execution:elsewhere:x1')],
    ['states:DescribeExecution', `${machine.replace(':stateMachine:', ':execution:')}:x1`],
    ['logs:PutLogEvents', arn('logs', 'log-group:elsewhere:*')],
    ['logs:CreateLogStream', arn('logs', 'log-group:elsewhere:*')],
    ['logs:GetLogEvents', log],
    ['sqs:SendMessage', arn('sqs', 'elsewhere')],
    [
      'ses:SendRawEmail',
      arn('ses', 'identity/elsewhere.example'),
      sending(senders.letters, contacts).context,
    ],
    ['ses:SendRawEmail', arn('ses', 'identity/elsewhere.example'), sending(senders.notices, people).context],
    ['s3:ListBucketVersions', cases, { 's3:prefix': '' }],
    ['s3:ListBucketVersions', inbox, { 's3:prefix': 'other/' }],
    ['s3:ListBucketVersions', 'arn:aws:s3:::elsewhere', { 's3:prefix': `${inboxListing}x1` }],
    ['s3:ListBucketVersions', 'arn:aws:s3:::elsewhere', { 's3:prefix': sampleOf(places.mail) }],
    ['s3:DeleteObjectVersion', 'arn:aws:s3:::elsewhere/mail/a'],
  ];
  return stray.map(named);
}

/**
 * Uses of keys that no grant opens and no denial names: a key is not denied to a role that has it for its own use, since
 * Lambda and the services behind it need keys that no template names.
 */
export function looseProbes({ resources: { dataKey, inboxKey, signingKey, cases, inbox } }: Estate): Probe[] {
  const elsewhere = `arn:aws:kms:${region}:${account}:key/elsewhere`;
  const through = { 'kms:ViaService': `s3.${region}.amazonaws.com` };
  const other = { ...through, 'kms:EncryptionContext:aws:s3:arn': 'arn:aws:s3:::elsewhere' };
  const own = { ...through, 'kms:EncryptionContext:aws:s3:arn': cases };
  return [
    ...['kms:Decrypt', 'kms:GenerateDataKey'].flatMap((action) => [
      named([action, dataKey]),
      named([action, dataKey, other]),
      named([action, inboxKey]),
      named([action, inboxKey, own]),
      named([action, elsewhere, own]),
      named([action, elsewhere, { ...through, 'kms:EncryptionContext:aws:s3:arn': inbox }]),
    ]),
    named(['kms:Sign', signingKey, { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'RAW' }]),
  ];
}

function named([action, resource, context]: [string, string, Asked['context']?]): Probe {
  const asked = { action, resource, ...(context === undefined ? {} : { context }) };
  return { what: `${action} on ${resource}`, asked };
}
