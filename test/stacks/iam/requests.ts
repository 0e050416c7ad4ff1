import { names } from '../../../lib/local/names.ts';
import type { Context } from './condition.ts';
import type { ServiceCall } from './recorder.ts';
import { account, region } from './symbols.ts';

/** What a call asks IAM for. One call may need several rights, and all of them. */
export interface Asked {
  readonly action: string;
  readonly resource: string;
  readonly context?: Context;
}

/** A model or a profile, and the models that a profile leads to. */
export interface ModelEntry {
  readonly entry: string;
  readonly behind: readonly string[];
}

/** The deployed resources that stand for those of the embedded office. */
export interface Resources {
  readonly cases: string;
  readonly inbox: string;
  readonly caseTable: string;
  readonly approvalTable: string;
  readonly signingKey: string;
  readonly dataKey: string;
  readonly inboxKey: string;
  readonly machine: string;
  /** What a function that asks a model asks. */
  readonly models: Readonly<Record<string, ModelEntry>>;
  /** What it asks when that is throttled or away, where it is configured with such. */
  readonly fallbacks: Readonly<Record<string, ModelEntry>>;
  readonly functionArn: (name: string) => string;
  readonly configurationSet: string;
}

type Input = ServiceCall['input'];
type Translate = (input: Input, resources: Resources, by: string) => Asked[];

/**
 * The rights that a recorded call needs on AWS, after the services' own lists of actions, resources and condition keys. A
 * command that is not listed is an error: what is not understood is not allowed either.
 */
export function askedBy({ by, command, input }: ServiceCall, resources: Resources): Asked[] {
  const translate = translations[command];
  if (translate === undefined)
    throw new Error(`\`${by}\` calls \`${command}\`, whose rights are not known here`);
  return translate(input, resources, by);
}

const text = (input: Input, name: string): string => String(input[name] ?? '');

/** The bucket of a call, and the key that its objects are encrypted with. */
function bucketOf(
  input: Input,
  { cases, inbox, dataKey, inboxKey }: Resources,
): { arn: string; key: string } {
  return text(input, 'Bucket') === names.caseBucket
    ? { arn: cases, key: dataKey }
    : { arn: inbox, key: inboxKey };
}

/** What S3 asks of a key on behalf of the caller, for a bucket that uses one key for all of its objects. */
function encryption(action: string, { arn, key }: { arn: string; key: string }): Asked {
  const context = {
    'kms:ViaService': `s3.${region}.amazonaws.com`,
    'kms:EncryptionContext:aws:s3:arn': arn,
  };
  return { action, resource: key, context };
}

const object =
  (action: string, key: string, context: (input: Input) => Context): Translate =>
  (input, resources) => {
    const bucket = bucketOf(input, resources);
    const resource = `${bucket.arn}/${text(input, 'Key')}`;
    return [{ action, resource, context: context(input) }, encryption(key, bucket)];
  };

const listing =
  (action: string): Translate =>
  (input, resources) => [
    {
      action,
      resource: bucketOf(input, resources).arn,
      context: { 's3:prefix': text(input, 'Prefix') },
    },
  ];

function creation(input: Input): Context {
  return {
    's3:ObjectCreationOperation': 'true',
    ...(input.IfNoneMatch === undefined ? {} : { 's3:if-none-match': String(input.IfNoneMatch) }),
    ...(input.IfMatch === undefined ? {} : { 's3:if-match': String(input.IfMatch) }),
  };
}

const row =
  (action: string): Translate =>
  (input, resources) => {
    const table =
      text(input, 'TableName') === names.caseTable ? resources.caseTable : resources.approvalTable;
    const resource = input.IndexName === undefined ? table : `${table}/index/${text(input, 'IndexName')}`;
    const attributes = projected(input);
    return [
      {
        action,
        resource,
        ...(attributes === undefined ? {} : { context: { 'dynamodb:Attributes': attributes } }),
      },
    ];
  };

/** The attributes that a read asks for. One that names none gets everything, and the key is not there. */
function projected(input: Input): string[] | undefined {
  if (input.ProjectionExpression === undefined) return undefined;
  const known = (input.ExpressionAttributeNames ?? {}) as Record<string, string>;
  return text(input, 'ProjectionExpression')
    .split(/\s*,\s*/)
    .map((name) => known[name] ?? name);
}

const service =
  (action: string): Translate =>
  () => [{ action, resource: '*' }];

const translations: Readonly<Record<string, Translate>> = {
  GetObject: object('s3:GetObject', 'kms:Decrypt', () => ({})),
  PutObject: object('s3:PutObject', 'kms:GenerateDataKey', creation),
  ListObjectsV2: listing('s3:ListBucket'),
  ListObjectVersions: listing('s3:ListBucketVersions'),
  GetItem: row('dynamodb:GetItem'),
  PutItem: row('dynamodb:PutItem'),
  UpdateItem: row('dynamodb:UpdateItem'),
  Query: row('dynamodb:Query'),
  Sign: (input, { signingKey }) => [
    {
      action: 'kms:Sign',
      resource: signingKey,
      context: {
        'kms:SigningAlgorithm': text(input, 'SigningAlgorithm'),
        'kms:MessageType': text(input, 'MessageType'),
      },
    },
  ],
  GetPublicKey: (_, { signingKey }) => [{ action: 'kms:GetPublicKey', resource: signingKey }],
  SendRawEmail: (input, { configurationSet }) => {
    const from = text(input, 'Source');
    const context = { 'ses:FromAddress': from, 'ses:Recipients': input.Destinations as string[] };
    const identity = (name: string) => `arn:aws:ses:${region}:${account}:identity/${name}`;
    const named = input.ConfigurationSetName === undefined ? [] : [configurationSet];
    return [identity(from.slice(from.lastIndexOf('@') + 1)), ...named].map((resource) => ({
      action: 'ses:SendRawEmail',
      resource,
      context,
    }));
  },
  GetAccountSendingEnabled: service('ses:GetAccountSendingEnabled'),
  DescribeActiveReceiptRuleSet: service('ses:DescribeActiveReceiptRuleSet'),
  StartExecution: (_, { machine }) => [{ action: 'states:StartExecution', resource: machine }],
  SendTaskSuccess: service('states:SendTaskSuccess'),
  SendTaskFailure: service('states:SendTaskFailure'),
  GetExecutionHistory: (input, { machine }) => [
    {
      action: 'states:GetExecutionHistory',
      resource: `${machine.replace(':stateMachine:', ':execution:')}:${text(input, 'executionArn').split(':').at(-1)}`,
    },
  ],
  Invoke: (input, { functionArn }) => [
    { action: 'lambda:InvokeFunction', resource: functionArn(text(input, 'FunctionName')) },
  ],
  Converse: (_, { models }, by) => {
    const model = models[by];
    if (model === undefined) throw new Error(`\`${by}\` asks a model and has none`);
    const through = { 'bedrock:InferenceProfileArn': model.entry };
    return [
      { action: 'bedrock:InvokeModel', resource: model.entry },
      ...model.behind.map((resource) => ({ action: 'bedrock:InvokeModel', resource, context: through })),
    ];
  },
};
