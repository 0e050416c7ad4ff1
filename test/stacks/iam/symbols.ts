/** Where the symbolic account of the tests lies. */
export const account = '111122223333';
export const region = 'eu-west-1';

/** What CloudFormation's pseudo parameters stand for here. */
export const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::AccountId': account,
  'AWS::URLSuffix': 'amazonaws.com',
};

type Given = (property: string) => string | undefined;

interface Kind {
  /** The property that names such a resource, where it was given a name. */
  readonly named?: string;
  readonly arn: (name: string) => string;
  /** Types whose `Ref` is the ARN and not the name. */
  readonly refersByArn?: boolean;
}

const regional = (service: string, resource: string) => (name: string) =>
  `arn:aws:${service}:${region}:${account}:${resource}${name}`;

const kinds: Readonly<Record<string, Kind>> = {
  'AWS::S3::Bucket': { named: 'BucketName', arn: (name) => `arn:aws:s3:::${name}` },
  'AWS::DynamoDB::Table': { named: 'TableName', arn: regional('dynamodb', 'table/') },
  'AWS::DynamoDB::GlobalTable': { named: 'TableName', arn: regional('dynamodb', 'table/') },
  'AWS::KMS::Key': { arn: regional('kms', 'key/') },
  'AWS::IAM::Role': { named: 'RoleName', arn: (name) => `arn:aws:iam::${account}:role/${name}` },
  'AWS::IAM::ManagedPolicy': {
    named: 'ManagedPolicyName',
    arn: (name) => `arn:aws:iam::${account}:policy/${name}`,
    refersByArn: true,
  },
  'AWS::Lambda::Function': { named: 'FunctionName', arn: regional('lambda', 'function:') },
  'AWS::StepFunctions::StateMachine': {
    named: 'StateMachineName',
    arn: regional('states', 'stateMachine:'),
    refersByArn: true,
  },
  'AWS::Logs::LogGroup': {
    named: 'LogGroupName',
    arn: (name) => `${regional('logs', 'log-group:')(name)}:*`,
  },
  'AWS::SQS::Queue': { named: 'QueueName', arn: regional('sqs', '') },
  'AWS::SNS::Topic': { named: 'TopicName', arn: regional('sns', ''), refersByArn: true },
  'AWS::Events::Rule': { named: 'Name', arn: regional('events', 'rule/') },
  'AWS::Events::EventBus': { named: 'Name', arn: regional('events', 'event-bus/') },
  'AWS::Scheduler::Schedule': { named: 'Name', arn: regional('scheduler', 'schedule/default/') },
  'AWS::Scheduler::ScheduleGroup': { named: 'Name', arn: regional('scheduler', 'schedule-group/') },
};

/** What `Ref` gives of a resource: its name or its ARN, as its type has it. */
export function nameOf(type: string, symbol: string, given: Given): string {
  const kind = kinds[type];
  if (kind === undefined) return symbol;
  return kind.refersByArn === true ? arnOf(type, symbol, given) : plainName(kind, symbol, given);
}

/** The ARN of a resource. A type whose ARN is not known is an error: a wrong one would match nothing, in silence. */
export function arnOf(type: string, symbol: string, given: Given): string {
  const kind = kinds[type];
  if (kind === undefined) return `arn:aws:cloudformation:${region}:${account}:symbol/${type}/${symbol}`;
  return kind.arn(plainName(kind, symbol, given));
}

/** Symbols of unnamed resources look like names: no part of an ARN may hold what separates its parts. */
function plainName({ named }: Kind, symbol: string, given: Given): string {
  return (
    (named === undefined ? undefined : given(named)) ?? symbol.replace(/[^A-Za-z0-9.-]/g, '-').toLowerCase()
  );
}
