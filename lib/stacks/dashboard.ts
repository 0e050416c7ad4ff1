import { Duration, type Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { signals } from '../signals.ts';
import { type Deployment, modelStages } from './deployment.ts';
import { failedRuns, signalled } from './metrics.ts';
import type { WatchProps } from './watch.ts';

const width = 12;
const period = Duration.hours(1);

/** One page: what is wrong at the top, then what the machine, the functions, the models and the queues did. */
export function showDashboard(stack: Stack, props: WatchProps, alarms: readonly Alarm[]): void {
  new Dashboard(stack, 'Dashboard', {
    dashboardName: props.deployment.name,
    defaultInterval: Duration.days(7),
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 2 * width })],
      [runs(props), signalsOf(props)],
      [asked(props.deployment), queues(props)],
      [durations(props), errors(props)],
    ],
  });
}

function runs({ workflow: { machine } }: WatchProps): IWidget {
  const options = { statistic: Stats.SUM, period };
  return new GraphWidget({
    title: 'Runs',
    width,
    left: [machine.metricStarted(options), machine.metricSucceeded(options)],
    right: [failedRuns(machine, period)],
  });
}

function signalsOf({ deployment }: WatchProps): IWidget {
  return new GraphWidget({
    title: 'What the functions signal',
    width,
    left: Object.values(signals).map((signal) => signalled(deployment.name, signal, period)),
  });
}

/** Bedrock's own counts, of the whole account. */
function asked({ models }: Deployment): IWidget {
  const ids = [...new Set(modelStages.map((stage) => models[stage].id))];
  const of = (metricName: string, ModelId: string) =>
    new Metric({
      namespace: 'AWS/Bedrock',
      metricName,
      dimensionsMap: { ModelId },
      statistic: Stats.SUM,
      period,
      label: `${metricName} ${ModelId}`,
    });
  return new GraphWidget({
    title: 'Models',
    width,
    left: ids.flatMap((id) => [of('InputTokenCount', id), of('OutputTokenCount', id)]),
    right: ids.flatMap((id) => [of('Invocations', id), of('InvocationThrottles', id)]),
  });
}

function queues({ workflow, sweep }: WatchProps): IWidget {
  return new GraphWidget({
    title: 'Events that nobody could take',
    width,
    left: [workflow.failures, sweep.failures].map((queue) =>
      queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period }),
    ),
  });
}

function durations({ workflow: { handlers } }: WatchProps): IWidget {
  return new GraphWidget({
    title: 'How long the functions take, at the most of 95 %',
    width,
    left: [...handlers].map(([label, handler]) =>
      handler.metricDuration({ statistic: Stats.percentile(95), period, label }),
    ),
  });
}

function errors({ workflow: { handlers } }: WatchProps): IWidget {
  return new GraphWidget({
    title: 'Errors of the functions',
    width,
    left: [...handlers].map(([label, handler]) =>
      handler.metricErrors({ statistic: Stats.SUM, period, label }),
    ),
  });
}
