import type { Execution } from './execution.ts';
import type { Frame, Scope } from './scope.ts';

const counting = new Set(['Task', 'Map', 'Parallel']);

/** The context object, `$states.context`. Times are ISO 8601 in UTC. */
export function contextOf(
  execution: Execution,
  scope: Scope,
  frame: Frame,
  token?: string,
): Record<string, unknown> {
  const { row } = execution;
  const retryCount = frame.retries.reduce((sum, each) => sum + each, 0);
  return {
    Execution: {
      Id: row.arn,
      Input: execution.input.value,
      Name: row.name,
      RoleArn: execution.roleArn,
      StartTime: new Date(row.startDate).toISOString(),
      RedriveCount: 0,
    },
    StateMachine: { Id: row.stateMachineArn, Name: execution.machineName },
    State: {
      Name: frame.state.name,
      EnteredTime: new Date(frame.enteredTime).toISOString(),
      ...(counting.has(frame.state.type) ? { RetryCount: retryCount } : {}),
    },
    ...(scope.item === undefined
      ? {}
      : { Map: { Item: { Index: scope.item.index, Value: scope.item.value.value } } }),
    ...(token === undefined ? {} : { Task: { Token: token } }),
  };
}
