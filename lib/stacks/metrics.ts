import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type Signal, signalNamespace, signals } from '../signals.ts';

/** Counts what the functions signal in their log, each signal as a metric of its name. */
export function countSignals(scope: Construct, deployment: string, logGroup: ILogGroup): void {
  for (const [name, signal] of Object.entries(signals)) {
    new MetricFilter(scope, `Signal-${name}`, {
      logGroup,
      filterPattern: FilterPattern.stringValue('$.signal', '=', signal),
      metricNamespace: signalNamespace(deployment),
      metricName: signal,
      metricValue: '1',
      defaultValue: 0,
    });
  }
}

/** How often something was signalled. */
export function signalled(deployment: string, signal: Signal, period: Duration): Metric {
  return new Metric({
    namespace: signalNamespace(deployment),
    metricName: signal,
    statistic: Stats.SUM,
    period,
    label: signal,
  });
}

/** Several counts as one. What reported nothing counts as nothing. */
export function total(label: string, metrics: readonly IMetric[], period: Duration): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  const expression = metrics.map((_, at) => `FILL(m${at}, 0)`).join(' + ');
  return new MathExpression({ expression, usingMetrics, period, label });
}

/** Runs that ended in no way that the machine knows. */
export function failedRuns(machine: IStateMachine, period = Duration.minutes(5)): MathExpression {
  const options = { statistic: Stats.SUM, period };
  return total(
    'failed runs',
    [machine.metricFailed(options), machine.metricTimedOut(options), machine.metricAborted(options)],
    period,
  );
}
