/** What people call a kind of resource, and what would be lost with one. */
export interface Kind {
  readonly noun: string;
  /** What is gone if it is replaced or removed; nothing for what a release may make anew at any time. */
  readonly holds?: string;
}

const function_ = { noun: 'function' };
const rights = { noun: 'set of rights' };

/**
 * The kinds of resources that the stacks are made of. One that is not listed here is taken for one that holds data, so
 * that forgetting to list it can only refuse a release.
 */
export const kinds: Readonly<Record<string, Kind>> = {
  'AWS::S3::Bucket': { noun: 'bucket', holds: 'mails, case files or logs' },
  'AWS::DynamoDB::Table': { noun: 'table', holds: 'the index of the cases, or what waits for people' },
  'AWS::DynamoDB::GlobalTable': { noun: 'table', holds: 'the index of the cases, or what waits for people' },
  'AWS::KMS::Key': {
    noun: 'key',
    holds: 'the only way to read what it encrypted, or to verify what it signed',
  },
  'AWS::Logs::LogGroup': { noun: 'log group', holds: 'what was logged' },
  'AWS::SQS::Queue': { noun: 'queue', holds: 'the messages that wait in it' },
  'AWS::SecretsManager::Secret': { noun: 'secret', holds: 'a secret that nobody else has' },
  'AWS::Cognito::UserPool': { noun: 'user pool', holds: 'the people who can sign in' },
  'AWS::SES::EmailIdentity': {
    noun: 'mail identity',
    holds: 'a verified domain; its DNS records would have to be published again',
  },
  'AWS::StepFunctions::StateMachine': {
    noun: 'state machine',
    holds: 'the cases under way, those that wait for a person for days included',
  },
  'AWS::CloudFormation::Stack': { noun: 'nested stack', holds: 'whatever is in it' },
  'AWS::Lambda::Function': function_,
  'AWS::Lambda::LayerVersion': { noun: 'layer with the configuration' },
  'AWS::Lambda::Permission': rights,
  'AWS::Lambda::EventInvokeConfig': { noun: 'setting of a function' },
  'AWS::IAM::Role': { noun: 'role' },
  'AWS::IAM::Policy': rights,
  'AWS::IAM::ManagedPolicy': rights,
  'AWS::S3::BucketPolicy': rights,
  'AWS::SQS::QueuePolicy': rights,
  'AWS::SNS::TopicPolicy': rights,
  'AWS::SNS::Topic': { noun: 'topic' },
  'AWS::SNS::Subscription': { noun: 'subscription' },
  'AWS::KMS::Alias': { noun: 'name of a key' },
  'AWS::Logs::MetricFilter': { noun: 'filter that counts log lines' },
  'AWS::Logs::ResourcePolicy': rights,
  'AWS::CloudWatch::Alarm': { noun: 'alarm' },
  'AWS::CloudWatch::CompositeAlarm': { noun: 'alarm' },
  'AWS::CloudWatch::Dashboard': { noun: 'dashboard' },
  'AWS::Budgets::Budget': { noun: 'budget' },
  'AWS::Events::Rule': { noun: 'event rule' },
  'AWS::Scheduler::Schedule': { noun: 'schedule' },
  'AWS::Scheduler::ScheduleGroup': { noun: 'group of schedules' },
  'AWS::ApiGatewayV2::Api': { noun: 'HTTP API' },
  'AWS::ApiGatewayV2::Integration': { noun: 'route to a function' },
  'AWS::ApiGatewayV2::Route': { noun: 'route' },
  'AWS::ApiGatewayV2::Stage': { noun: 'stage of the HTTP API' },
  'AWS::ApiGatewayV2::DomainName': { noun: 'domain of the pages' },
  'AWS::ApiGatewayV2::ApiMapping': { noun: 'mapping of the domain' },
  'AWS::CertificateManager::Certificate': { noun: 'certificate' },
  'AWS::SES::ReceiptRuleSet': { noun: 'set of receiving rules' },
  'AWS::SES::ReceiptRule': { noun: 'receiving rule' },
  'AWS::SES::ConfigurationSet': { noun: 'configuration set' },
  'AWS::SES::ConfigurationSetEventDestination': { noun: 'destination of mail events' },
  'AWS::CDK::Metadata': { noun: 'note of the CDK' },
};

/** The kind of a type of CloudFormation. Custom resources act through a function of ours and hold nothing themselves. */
export function kindOf(type: string): Kind {
  const known = kinds[type];
  if (known !== undefined) return known;
  if (type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource') {
    return { noun: 'setting made by a function' };
  }
  return {
    noun: type,
    holds: 'what nobody has said; list it in lib/release/resources.ts if it holds nothing',
  };
}
