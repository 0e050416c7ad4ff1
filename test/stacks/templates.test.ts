import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { signals } from '../../lib/signals.ts';
import { alarmTexts } from '../../lib/stacks/alarms.ts';
import { stackNames, templateOf } from './synthesized.ts';

const caseFile = templateOf('case-file');
const approvals = templateOf('approvals');
const workflow = templateOf('workflow');
const mailbox = templateOf('mailbox');
const sweep = templateOf('sweep');
const watch = templateOf('watch');

const account = { Ref: 'AWS::AccountId' };
const rule = {
  'Fn::Join': [
    '',
    ['arn:aws:ses:eu-west-1:', account, ':receipt-rule-set/caregate:receipt-rule/caregate-inbox'],
  ],
};
const receiver = {
  Effect: 'Allow',
  Principal: { Service: 'ses.amazonaws.com' },
  Condition: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': rule } },
};
const within = (bucket: string, pattern: string) => ({
  'Fn::Join': ['', [{ 'Fn::GetAtt': [Match.stringLikeRegexp(`^${bucket}`), 'Arn'] }, `/${pattern}`]],
});

describe('the mailbox', () => {
  it('takes mail for the inboxes of the circles: into the bucket, to ingest, and no further', () => {
    mailbox.hasResourceProperties('AWS::SES::ReceiptRule', {
      Rule: {
        Name: 'caregate-inbox',
        Enabled: true,
        Recipients: ['care@inbox.example', 'caregate@inbox.example', 'rosa.winterbourne@inbox.example'],
        ScanEnabled: true,
        TlsPolicy: 'Require',
        Actions: [
          // No key: with one, SES would encrypt in a format of its own.
          { S3Action: { BucketName: Match.anyValue(), ObjectKeyPrefix: 'mail/' } },
          { LambdaAction: { FunctionArn: Match.anyValue(), InvocationType: 'Event' } },
          { StopAction: { Scope: 'RuleSet' } },
        ],
      },
    });
  });

  it('lets SES invoke, put and encrypt for our rule of our account alone', () => {
    mailbox.hasResourceProperties('AWS::Lambda::Permission', {
      Principal: 'ses.amazonaws.com',
      SourceAccount: account,
      SourceArn: rule,
    });
    caseFile.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          { ...receiver, Sid: 'ReceiverAdds', Action: 's3:PutObject', Resource: within('Inbox', 'mail/*') },
        ]),
      },
    });
    caseFile.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          {
            ...receiver,
            Sid: 'ReceiverEncrypts',
            Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
            Resource: '*',
          },
        ]),
      },
    });
  });

  it('is asked for the right to invoke before the rule is made, and for the rule before it is activated', () => {
    mailbox.hasResource('AWS::SES::ReceiptRule', {
      DependsOn: [Match.stringLikeRegexp('ReceiverTellsIngest')],
    });
    mailbox.hasResource('Custom::ActiveRuleSet', {
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^Rule')]),
      Properties: Match.objectLike({ RuleSet: 'caregate', Displace: 'false' }),
    });
  });

  it('signs with DKIM, takes bounces at its own domain, and reports on letters', () => {
    mailbox.hasResourceProperties('AWS::SES::EmailIdentity', {
      EmailIdentity: 'inbox.example',
      DkimAttributes: { SigningEnabled: true },
      MailFromAttributes: { MailFromDomain: 'bounce.inbox.example' },
    });
    mailbox.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', {
      EventDestination: {
        Enabled: true,
        EventBridgeDestination: Match.anyValue(),
        MatchingEventTypes: Match.arrayWith(['send', 'delivery', 'bounce', 'reject']),
      },
    });
  });

  it('takes no letter at all while sending is off', () => {
    mailbox.hasResourceProperties('AWS::SES::ConfigurationSet', {
      Name: 'caregate-letters',
      SendingOptions: { SendingEnabled: false },
      DeliveryOptions: { TlsPolicy: 'REQUIRE' },
    });
  });

  it('tells every record that the domain needs', () => {
    const outputs = Object.keys(mailbox.findOutputs('*'));
    const records = [
      'InboxRecord',
      'BounceRecord',
      'SenderRecord',
      'DkimRecord1',
      'DkimRecord2',
      'DkimRecord3',
    ];
    expect(outputs).toEqual(expect.arrayContaining(records));
  });
});

describe('the case file', () => {
  it('takes no object that could replace another, from anybody', () => {
    const refusal = { Effect: 'Deny', Principal: { AWS: '*' }, Action: 's3:PutObject' };
    const created = { 's3:ObjectCreationOperation': 'true' };
    caseFile.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          {
            ...refusal,
            Sid: 'CreateOnce',
            NotResource: within('Cases', 'budgets/*'),
            Condition: { Null: { 's3:if-none-match': 'true' }, Bool: created },
          },
          {
            ...refusal,
            Sid: 'ReplaceWhatWasRead',
            Resource: within('Cases', 'budgets/*'),
            Condition: { Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' }, Bool: created },
          },
        ]),
      },
    });
  });

  it('gives every object its retention, which the inbox must not have', () => {
    const locked = { ObjectLockEnabled: true };
    caseFile.hasResourceProperties('AWS::S3::Bucket', {
      ...locked,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 365 } } },
    });
    expect(Object.keys(caseFile.findResources('AWS::S3::Bucket', { Properties: locked }))).toHaveLength(1);
  });

  it('is encrypted with keys of its own that rotate, and its access is logged', () => {
    const own = { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: Match.anyValue() };
    const buckets = caseFile.findResources('AWS::S3::Bucket', {
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            Match.objectLike({ ServerSideEncryptionByDefault: own, BucketKeyEnabled: true }),
          ],
        },
        LoggingConfiguration: { DestinationBucketName: { Ref: Match.stringLikeRegexp('^AccessLogs') } },
      },
    });
    expect(Object.keys(buckets).map((id) => id.slice(0, 5))).toEqual(['Cases', 'Inbox']);
    caseFile.allResourcesProperties('AWS::KMS::Key', { EnableKeyRotation: true });
  });

  it('can be restored to any moment, and its tables cannot be deleted', () => {
    caseFile.resourceCountIs('AWS::DynamoDB::Table', 2);
    caseFile.allResourcesProperties('AWS::DynamoDB::Table', {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
  });

  it('lets go of mails in the inbox, and of nothing in the case file but old budgets', () => {
    const rules = (bucket: string): unknown[] =>
      Object.entries(caseFile.findResources('AWS::S3::Bucket'))
        .filter(([id]) => id.startsWith(bucket))
        .flatMap(([, resource]) => resource.Properties.LifecycleConfiguration.Rules);
    expect(rules('Inbox')).toMatchObject([{ ExpirationInDays: 180 }]);
    expect(rules('Cases')).toMatchObject([
      { Id: 'unfinished' },
      { Id: 'old-budgets', Prefix: 'budgets/', NoncurrentVersionExpiration: { NoncurrentDays: 30 } },
    ]);
    expect(JSON.stringify(rules('Cases'))).not.toContain('ExpirationInDays');
  });
});

describe('the pages', () => {
  it('are shown by web and decided by decide', () => {
    const integrations = workflow.findResources('AWS::ApiGatewayV2::Integration');
    const targets = Object.values(workflow.findResources('AWS::ApiGatewayV2::Route')).map(
      ({ Properties: { RouteKey, Target } }) => {
        const id = Object.keys(integrations).find((one) => JSON.stringify(Target).includes(`"${one}"`));
        return [RouteKey, JSON.stringify(integrations[id ?? '']?.Properties.IntegrationUri)] as const;
      },
    );
    const behind = (key: string): string => targets.find(([route]) => route === key)?.[1] ?? '';
    expect(targets).toHaveLength(4);
    for (const key of ['GET /', 'GET /{page+}']) expect(behind(key)).toContain('Handlerweb');
    expect(behind('POST /{page+}')).toContain('Handlerdecide');
    expect(behind('GET /healthz')).toContain('Handlerhealth');
  });

  it('are throttled, and logged by their route: a path holds a link', () => {
    const stages = Object.values(approvals.findResources('AWS::ApiGatewayV2::Stage'));
    expect(stages).toHaveLength(1);
    const { AccessLogSettings, DefaultRouteSettings } = stages[0]?.Properties ?? {};
    expect(DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 });
    expect(AccessLogSettings.Format).toContain('$context.routeKey');
    expect(AccessLogSettings.Format).not.toMatch(/\$context\.(?:path|requestOverride|identity)/);
  });
});

describe('the workflow', () => {
  it('lets the machine invoke what its file names, and neither the pages nor the sweep', () => {
    const policies = workflow.findResources('AWS::IAM::Policy', {
      Properties: {
        PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'Steps' })]) },
      },
    });
    const steps = JSON.stringify(Object.values(policies).map(({ Properties }) => Properties.PolicyDocument));
    expect(steps).toContain('Handlerexecute');
    for (const name of ['web', 'decide', 'sweep', 'audit', 'resume', 'ingest']) {
      expect(steps).not.toMatch(new RegExp(`Handler${name}[0-9A-F]`));
    }
  });

  it('has runs that ended badly reported, and every run that ended kept', () => {
    const listening = (status: string[]) => ({
      EventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [Match.anyValue()], status },
      },
    });
    const unhappy = ['FAILED', 'TIMED_OUT', 'ABORTED'];
    const target = (name: string) => ({
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^Handler${name}`), 'Arn'] },
          DeadLetterConfig: Match.anyValue(),
        }),
      ],
    });
    workflow.hasResourceProperties('AWS::Events::Rule', { ...listening(unhappy), ...target('report') });
    workflow.hasResourceProperties('AWS::Events::Rule', {
      ...listening(['SUCCEEDED', ...unhappy]),
      ...target('audit'),
    });
  });

  it('keeps events that a function could not take, where nobody waits for it', () => {
    const kept = workflow.findResources('AWS::Lambda::Function', {
      Properties: { DeadLetterConfig: Match.anyValue() },
    });
    const names = Object.values(kept).map(({ Properties }) => Properties.FunctionName);
    expect(names.sort()).toEqual(['audit', 'ingest', 'report', 'sweep'].map((name) => `caregate-${name}`));
  });

  it('keeps logs encrypted, and not for ever', () => {
    for (const template of [workflow, approvals]) {
      template.allResourcesProperties('AWS::Logs::LogGroup', {
        RetentionInDays: 90,
        KmsKeyId: Match.anyValue(),
      });
    }
  });
});

describe('the sweep', () => {
  it('is started by the scheduler, and a start that failed is kept', () => {
    sweep.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(15 minutes)',
      State: 'ENABLED',
      Target: Match.objectLike({
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Failures'), 'Arn'] } },
      }),
    });
    for (const stack of stackNames) {
      templateOf(stack).resourcePropertiesCountIs(
        'AWS::Events::Rule',
        { ScheduleExpression: Match.anyValue() },
        0,
      );
    }
  });
});

describe('the watch', () => {
  it('tells the operator of every alarm, when it goes off and when it is over', () => {
    const alarms = Object.values(watch.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties,
    );
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      Object.keys(alarmTexts)
        .map((name) => `caregate-${name}`)
        .sort(),
    );
    for (const { AlarmActions, OKActions } of alarms) {
      expect(AlarmActions).toEqual([{ Ref: expect.stringMatching(/^Operator/) }]);
      expect(OKActions).toEqual(AlarmActions);
    }
    watch.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'operator@family.example',
    });
  });

  it('counts what the functions signal', () => {
    for (const signal of Object.values(signals)) {
      watch.hasResourceProperties('AWS::Logs::MetricFilter', {
        FilterPattern: `{ $.signal = "${signal}" }`,
        MetricTransformations: [
          Match.objectLike({ MetricName: signal, MetricNamespace: 'Caregate/caregate', MetricValue: '1' }),
        ],
      });
    }
  });

  it('goes off where a sweep is missing, and not where nothing happened', () => {
    const missing = { AlarmName: 'caregate-sweep-missing' };
    watch.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...missing,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
    watch.resourcePropertiesCountIs(
      'AWS::CloudWatch::Alarm',
      { TreatMissingData: 'notBreaching', ComparisonOperator: 'GreaterThanOrEqualToThreshold' },
      Object.keys(alarmTexts).length - 1,
    );
  });

  it('has one dashboard and one budget a month', () => {
    watch.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    watch.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 20, Unit: 'USD' } },
      NotificationsWithSubscribers: Match.arrayWith([
        Match.objectLike({
          Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'operator@family.example' }],
        }),
      ]),
    });
  });
});
