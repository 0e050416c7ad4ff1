import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { signals } from '../signals.ts';
import { countSignals, failedRuns, signalled, total } from './metrics.ts';
import type { WatchProps } from './watch.ts';

/** The alarms, by the end of their names, each with what the operator reads first. */
export const alarmTexts = {
  'failed-runs': 'A run failed, timed out or was aborted. The circle was told; look at the run.',
  'stuck-runs': 'A case has been open for over an hour, and waits for nobody. Look at its run.',
  'parked-cases': 'A case was parked and waits to be resumed. The circle was told.',
  'unassigned-mails':
    'A mail came for an address that is no inbox of a circle. It is kept, and starts nothing.',
  'budget-refusals': 'A cap or a budget was reached: mails are put off, or planned without the model.',
  'model-throttles': 'Bedrock throttles. Cases are parked if it goes on; ask for a higher quota.',
  'dead-letters': 'An event could not be taken, however often it was tried. It is in the queue.',
  'sweep-failures': 'The scheduler could not start a sweep.',
  'sweep-missing': 'No sweep has run for an hour: lost mails and reminders are not looked after.',
} as const;
export type AlarmName = keyof typeof alarmTexts;

interface Condition {
  readonly metric: IMetric;
  /** For how many periods on end. */
  readonly periods?: number;
  readonly below?: boolean;
}

/** Makes the alarms. Each goes to the operator, when it goes off and when it is over. */
export function alarmsOf(scope: Construct, props: WatchProps, topic: Topic): Alarm[] {
  countSignals(scope, props.deployment.name, props.workflow.functionLogs);
  const conditions = conditionsOf(props);
  return (Object.keys(alarmTexts) as AlarmName[]).map((name) => {
    const { metric, periods = 1, below = false } = conditions[name];
    const alarm = new Alarm(scope, `Alarm-${name}`, {
      alarmName: `${props.deployment.name}-${name}`,
      alarmDescription: alarmTexts[name],
      metric,
      threshold: 1,
      evaluationPeriods: periods,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: below ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return alarm;
  });
}

function conditionsOf({ deployment, workflow, sweep }: WatchProps): Readonly<Record<AlarmName, Condition>> {
  const soon = Duration.minutes(5);
  const signal = (name: keyof typeof signals, period = soon) =>
    signalled(deployment.name, signals[name], period);
  const depth = { period: soon, statistic: Stats.MAXIMUM };
  const sweeps = workflow.handler('sweep').metricInvocations({ period: Duration.hours(1) });
  return {
    'failed-runs': { metric: failedRuns(workflow.machine) },
    // Twice on end: a case that a person has just decided is open and waits for nobody for a moment.
    'stuck-runs': { metric: signal('caseStuck', Duration.hours(1)), periods: 2 },
    'parked-cases': { metric: signal('caseParked') },
    'unassigned-mails': { metric: signal('mailUnassigned') },
    'budget-refusals': {
      metric: total('budget refusals', [signal('budgetRefused'), signal('caseDeferred')], soon),
    },
    'model-throttles': { metric: signal('modelThrottled') },
    'dead-letters': { metric: workflow.failures.metricApproximateNumberOfMessagesVisible(depth) },
    'sweep-failures': { metric: sweep.failures.metricApproximateNumberOfMessagesVisible(depth) },
    'sweep-missing': {
      metric: new MathExpression({
        expression: 'FILL(m0, 0)',
        usingMetrics: { m0: sweeps },
        period: Duration.hours(1),
        label: 'sweeps',
      }),
      below: true,
    },
  };
}
