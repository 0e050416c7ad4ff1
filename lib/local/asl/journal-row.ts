import type { ExecutionStatus } from './execution.ts';
import type { ExecutionRow } from './journal.ts';

/** An execution out of its row. */
export function readExecution(row: Record<string, unknown>): ExecutionRow {
  return {
    id: Number(row.id),
    arn: String(row.arn),
    name: String(row.name),
    stateMachineArn: String(row.machine),
    definitionId: Number(row.definition),
    input: String(row.input),
    startDate: Number(row.start),
    status: row.status as ExecutionStatus,
    ...(row.stop === null ? {} : { stopDate: Number(row.stop) }),
    ...(row.output === null ? {} : { output: String(row.output) }),
    ...(row.error === null ? {} : { error: String(row.error) }),
    ...(row.cause === null ? {} : { cause: String(row.cause) }),
  };
}
