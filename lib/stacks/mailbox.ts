import { join } from 'node:path';
import { CfnOutput, CustomResource, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnPermission,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  ConfigurationSet,
  ConfigurationSetTlsPolicy,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  MailFromBehaviorOnMxFailure,
  ReceiptRule,
  ReceiptRuleSet,
  TlsPolicy,
} from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { mailPrefix } from '../mail/ingest.ts';
import { addressesOf } from '../provenance/circles.ts';
import type { CaseFileStack } from './casefile.ts';
import type { Deployment } from './deployment.ts';
import { ownLog } from './functions.ts';
import { namesOf, ruleArn } from './names.ts';
import { PutIntoBucket, StopThere, TellFunction } from './receiving.ts';
import type { WorkflowStack } from './workflow.ts';

export interface MailboxProps extends StackProps {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  readonly workflow: WorkflowStack;
  /** The folder that holds `activation/handler.mjs`. */
  readonly bundles: string;
}

/** How mail comes in and goes out: the domain, the rule that receives, and the set that says what became of letters. */
export class MailboxStack extends Stack {
  readonly identity: EmailIdentity;
  readonly configurationSet: ConfigurationSet;
  readonly ruleSet: ReceiptRuleSet;
  readonly rule: ReceiptRule;
  readonly activationRole: Role;

  constructor(scope: Construct, id: string, props: MailboxProps) {
    super(scope, id, props);
    const { deployment } = props;
    this.configurationSet = this.#configurationSet(deployment);
    this.identity = new EmailIdentity(this, 'Domain', {
      identity: Identity.domain(deployment.mail.domain),
      dkimSigning: true,
      mailFromDomain: `${deployment.mail.mailFrom}.${deployment.mail.domain}`,
      mailFromBehaviorOnMxFailure: MailFromBehaviorOnMxFailure.USE_DEFAULT_VALUE,
    });
    this.ruleSet = new ReceiptRuleSet(this, 'RuleSet', { receiptRuleSetName: namesOf(deployment).ruleSet });
    this.rule = this.#rule(props);
    this.activationRole = this.#activationRole(props);
    this.#activation(props);
    this.#records(deployment);
  }

  /** What SES says of letters reaches the account's event bus. Switched off, SES itself takes no letter. */
  #configurationSet(deployment: Deployment): ConfigurationSet {
    const set = new ConfigurationSet(this, 'Letters', {
      configurationSetName: namesOf(deployment).configurationSet,
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: true,
      sendingEnabled: deployment.mail.sending === 'on',
    });
    set.addEventDestination('Events', {
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, 'Bus', 'default')),
      events: [
        EmailSendingEvent.SEND,
        EmailSendingEvent.DELIVERY,
        EmailSendingEvent.BOUNCE,
        EmailSendingEvent.COMPLAINT,
        EmailSendingEvent.REJECT,
        EmailSendingEvent.DELIVERY_DELAY,
      ],
    });
    return set;
  }

  #rule({ deployment, caseFile, workflow }: MailboxProps): ReceiptRule {
    const ingest = workflow.handler('ingest');
    const circles = deployment.circles.map(({ circle }) => circle);
    const allowed = new CfnPermission(this, 'ReceiverTellsIngest', {
      action: 'lambda:InvokeFunction',
      functionName: ingest.functionArn,
      principal: 'ses.amazonaws.com',
      sourceAccount: this.account,
      sourceArn: ruleArn(this, deployment),
    });
    const rule = new ReceiptRule(this, 'Rule', {
      ruleSet: this.ruleSet,
      receiptRuleName: namesOf(deployment).rule,
      recipients: circles.flatMap((circle) => addressesOf(circle, circles)),
      scanEnabled: true,
      tlsPolicy: TlsPolicy.REQUIRE,
      enabled: true,
      actions: [
        new PutIntoBucket(caseFile.inbox as IBucket, mailPrefix),
        new TellFunction(ingest.functionArn),
        new StopThere(),
      ],
    });
    // SES tries the function when the rule is made.
    rule.node.addDependency(allowed);
    return rule;
  }

  #activationRole({ workflow }: MailboxProps): Role {
    const role = new Role(this, 'ActivationRole', {
      description: 'What the function may do that activates the rule set',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    role.addToPolicy(ownLog(workflow.functionLogs));
    role.addToPolicy(
      new PolicyStatement({
        sid: 'Activate',
        actions: ['ses:DescribeActiveReceiptRuleSet', 'ses:SetActiveReceiptRuleSet'],
        resources: ['*'],
      }),
    );
    return role;
  }

  #activation({ deployment, workflow, bundles }: MailboxProps): void {
    const activation = new LambdaFunction(this, 'ActivationFunction', {
      description: 'Activates the rule set of Caregate, and displaces nobody unless told to',
      role: this.activationRole,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(join(bundles, 'activation')),
      handler: 'handler.handler',
      memorySize: 256,
      timeout: Duration.seconds(60),
      logGroup: workflow.functionLogs,
      loggingFormat: LoggingFormat.JSON,
    });
    const active = new CustomResource(this, 'Activation', {
      resourceType: 'Custom::ActiveRuleSet',
      serviceToken: activation.functionArn,
      serviceTimeout: Duration.minutes(5),
      properties: { RuleSet: deployment.mail.ruleSet, Displace: String(deployment.mail.displace) },
    });
    // No mail comes in before there is a rule, nor before the function that activates may do so.
    active.node.addDependency(this.rule, this.activationRole);
  }

  /** The records that the domain needs, for whoever keeps its names. */
  #records({ mail, region }: Deployment): void {
    const record = (id: string, value: string) => new CfnOutput(this, id, { value });
    record('InboxRecord', `${mail.domain} MX 10 inbound-smtp.${region}.amazonaws.com`);
    record('BounceRecord', `${mail.mailFrom}.${mail.domain} MX 10 feedback-smtp.${region}.amazonses.com`);
    record('SenderRecord', `${mail.mailFrom}.${mail.domain} TXT "v=spf1 include:amazonses.com -all"`);
    for (const [index, { name, value }] of this.identity.dkimRecords.entries()) {
      record(`DkimRecord${index + 1}`, `${name} CNAME ${value}`);
    }
    record('RuleSetName', mail.ruleSet);
  }
}
