import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

export interface EndingProps {
  readonly machine: IStateMachine;
  /** Told of runs that did not end by themselves. */
  readonly report: IFunction;
  /** Keeps the history of every run that ended. */
  readonly audit: IFunction;
  readonly failures: IQueue;
}

const unhappy = ['FAILED', 'TIMED_OUT', 'ABORTED'];

/** Nothing ends silently: Step Functions says of every run how it ended, and these listen. */
export function reportEndings(scope: Construct, props: EndingProps): void {
  listen(scope, 'Failed', props.report, unhappy, props);
  listen(scope, 'Ended', props.audit, ['SUCCEEDED', ...unhappy], props);
}

function listen(
  scope: Construct,
  id: string,
  listener: IFunction,
  status: readonly string[],
  { machine, failures }: EndingProps,
): void {
  new Rule(scope, id, {
    description: `runs of the machine that ended as ${status.join(', ')}`,
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: { stateMachineArn: [machine.stateMachineArn], status: [...status] },
    },
    targets: [
      new FunctionTarget(listener, {
        deadLetterQueue: failures,
        retryAttempts: 10,
        maxEventAge: Duration.hours(6),
      }),
    ],
  });
}
