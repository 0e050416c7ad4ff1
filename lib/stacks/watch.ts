import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { alarmsOf } from './alarms.ts';
import type { CaseFileStack } from './casefile.ts';
import { showDashboard } from './dashboard.ts';
import type { Deployment } from './deployment.ts';
import { namesOf } from './names.ts';
import type { SweepStack } from './sweep.ts';
import type { WorkflowStack } from './workflow.ts';

export interface WatchProps extends StackProps {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
  readonly workflow: WorkflowStack;
  readonly sweep: SweepStack;
}

/** Tells the operator what does not go right, and what it costs. docs/operate.md says what to do about each alarm. */
export class WatchStack extends Stack {
  readonly topic: Topic;
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id, props);
    this.topic = this.#topic(props);
    this.alarms = alarmsOf(this, props, this.topic);
    showDashboard(this, props, this.alarms);
    this.#budget(props.deployment);
  }

  #topic({ deployment, caseFile }: WatchProps): Topic {
    const topic = new Topic(this, 'Operator', {
      topicName: namesOf(deployment).topic,
      masterKey: caseFile.dataKey,
      enforceSSL: true,
    });
    topic.addSubscription(new EmailSubscription(deployment.operator.email));
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    return topic;
  }

  /**
   * By mail from the billing service itself: it works even where nothing else of the deployment does. It counts the whole
   * account: a filter by tag counts nothing until somebody has activated the tag, and then says nothing either.
   */
  #budget({ name, operator }: Deployment): void {
    const warn = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, threshold, comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: operator.email }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `${name}-monthly`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: operator.monthlyBudget, unit: 'USD' },
      },
      notificationsWithSubscribers: [warn('ACTUAL', 80), warn('FORECASTED', 100)],
    });
  }
}
