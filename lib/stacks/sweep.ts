import { Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { deadLetters } from './deadletters.ts';
import type { Deployment } from './deployment.ts';
import type { WorkflowStack } from './workflow.ts';

export interface SweepProps extends StackProps {
  readonly deployment: Deployment;
  readonly workflow: WorkflowStack;
}

/** Looks after what a lost event left behind and after what waits, every few minutes. */
export class SweepStack extends Stack {
  readonly role: Role;
  /** Sweeps that could not even be started. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, props: SweepProps) {
    super(scope, id, props);
    const { deployment, workflow } = props;
    const { functionArn } = workflow.handler('sweep');
    const group = new CfnScheduleGroup(this, 'Group', { name: deployment.name });
    this.failures = deadLetters(this, 'Failures');
    this.role = this.#role(deployment, functionArn);
    const schedule = new CfnSchedule(this, 'Schedule', {
      name: `${deployment.name}-sweep`,
      groupName: deployment.name,
      description: 'takes over mails whose event was lost, reminds, and closes what expired',
      scheduleExpression: `rate(${deployment.sweepMinutes} minutes)`,
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: functionArn,
        roleArn: this.role.roleArn,
        deadLetterConfig: { arn: this.failures.queueArn },
        // The next sweep does what this one could not.
        retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 300 },
      },
    });
    // The scheduler tries the role when the schedule is made.
    schedule.node.addDependency(group, this.role);
  }

  #role({ name }: Deployment, sweep: string): Role {
    const role = new Role(this, 'SchedulerRole', {
      description: 'What the scheduler may do to start a sweep',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': this.account,
            'aws:SourceArn': this.formatArn({
              service: 'scheduler',
              resource: 'schedule-group',
              resourceName: name,
            }),
          },
        },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({ sid: 'StartSweep', actions: ['lambda:InvokeFunction'], resources: [sweep] }),
    );
    role.addToPolicy(
      new PolicyStatement({
        sid: 'KeepFailures',
        actions: ['sqs:SendMessage'],
        resources: [this.failures.queueArn],
      }),
    );
    return role;
  }
}
