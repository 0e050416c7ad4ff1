import * as z from 'zod';
import type { Engine, ExecutionRow, MachineRow } from '../asl/engine.ts';
import { wireEvent } from '../asl/history.ts';
import { limits } from '../asl/limits.ts';
import { StatesRefusal } from '../asl/refusal.ts';
import { offsetOf, page, pageSize } from './states-paging.ts';

type Operation = (engine: Engine, input: unknown) => Promise<Record<string, unknown>>;

const arn = z.string().min(1).max(256);
const token = z.string().min(1).max(limits.taskTokenLength);
const failure = {
  error: z.string().max(limits.errorLength).optional(),
  cause: z.string().max(limits.causeLength).optional(),
};
const paged = {
  maxResults: z.int().min(0).max(limits.pageSize).default(0),
  nextToken: z.string().optional(),
};
const statuses = z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']);
const includedData = z.enum(['ALL_DATA', 'METADATA_ONLY']).default('ALL_DATA');

const seconds = (milliseconds: number): number => milliseconds / 1000;

/** Checks an input's form first, as AWS does: what does not fit is a ValidationException. */
function operation<T extends z.ZodType>(
  form: T,
  perform: (engine: Engine, input: z.output<T>) => Promise<Record<string, unknown>>,
): Operation {
  return async (engine, input) => {
    const read = form.safeParse(input);
    if (read.success) return perform(engine, read.data);
    const [issue] = read.error.issues;
    throw new StatesRefusal(
      'ValidationException',
      `Value at '${issue?.path.join('.') ?? ''}' failed to satisfy constraint: ${issue?.message ?? ''}`,
    );
  };
}

/** Every operation that the service has. `docs/states-language.md` lists the same. */
export const operations = {
  CreateStateMachine: operation(
    z.object({
      name: z.string(),
      definition: z.string(),
      roleArn: arn,
      type: z.enum(['STANDARD', 'EXPRESS']).default('STANDARD'),
    }),
    async (engine, { name, definition, roleArn, type }) => {
      if (type === 'EXPRESS') {
        throw new StatesRefusal(
          'StateMachineTypeNotSupported',
          "State Machine Type Not Supported: 'EXPRESS'",
        );
      }
      const row = await engine.createStateMachine(name, definition, roleArn);
      return { stateMachineArn: row.arn, creationDate: seconds(row.created) };
    },
  ),
  UpdateStateMachine: operation(
    z.object({ stateMachineArn: arn, definition: z.string().optional(), roleArn: arn.optional() }),
    async (engine, { stateMachineArn, definition, roleArn }) => {
      const changes = {
        ...(definition === undefined ? {} : { definition }),
        ...(roleArn === undefined ? {} : { roleArn }),
      };
      const row = await engine.updateStateMachine(stateMachineArn, changes);
      return { updateDate: seconds(row.updated), revisionId: revisionOf(row) };
    },
  ),
  DescribeStateMachine: operation(z.object({ stateMachineArn: arn, includedData }), async (engine, input) => {
    const row = engine.stateMachine(input.stateMachineArn);
    return {
      ...machineSummary(row),
      ...machineDetails(row, input.includedData === 'ALL_DATA'),
      status: 'ACTIVE',
    };
  }),
  ListStateMachines: operation(z.object(paged), async (engine, input) => {
    const rows = engine.listStateMachines();
    const offset = offsetOf(input.nextToken);
    const { items, ...more } = page(rows.slice(offset, offset + pageSize(input) + 1), input);
    return { stateMachines: items.map(machineSummary), ...more };
  }),
  DescribeStateMachineForExecution: operation(
    z.object({ executionArn: arn, includedData }),
    async (engine, input) => {
      const row = await engine.stateMachineOf(input.executionArn);
      return {
        stateMachineArn: row.arn,
        name: row.name,
        ...machineDetails(row, input.includedData === 'ALL_DATA'),
        updateDate: seconds(row.updated),
      };
    },
  ),
  StartExecution: operation(
    z.object({ stateMachineArn: arn, name: z.string().optional(), input: z.string().optional() }),
    async (engine, input) => {
      const row = await engine.startExecution(input);
      return { executionArn: row.arn, startDate: seconds(row.startDate) };
    },
  ),
  DescribeExecution: operation(z.object({ executionArn: arn, includedData }), async (engine, input) => {
    const row = await engine.execution(input.executionArn);
    return { ...executionSummary(row), ...executionData(row, input.includedData === 'ALL_DATA') };
  }),
  ListExecutions: operation(
    z.object({ stateMachineArn: arn, statusFilter: statuses.optional(), ...paged }),
    async (engine, input) => {
      const rows = await engine.listExecutions(input.stateMachineArn, {
        status: input.statusFilter,
        offset: offsetOf(input.nextToken),
        limit: pageSize(input) + 1,
      });
      const { items, ...more } = page(rows, input);
      return { executions: items.map(executionSummary), ...more };
    },
  ),
  GetExecutionHistory: operation(
    z.object({
      executionArn: arn,
      ...paged,
      reverseOrder: z.boolean().default(false),
      includeExecutionData: z.boolean().default(true),
    }),
    async (engine, input) => {
      const events = await engine.history(input.executionArn);
      const offset = offsetOf(input.nextToken);
      const ordered = input.reverseOrder ? events.toReversed() : events;
      const { items, ...more } = page(ordered.slice(offset, offset + pageSize(input) + 1), input);
      return { events: items.map((event) => wireEvent(event, input.includeExecutionData)), ...more };
    },
  ),
  StopExecution: operation(z.object({ executionArn: arn, ...failure }), async (engine, input) => ({
    stopDate: seconds(await engine.stopExecution(input.executionArn, failureOf(input))),
  })),
  SendTaskSuccess: operation(z.object({ taskToken: token, output: z.string() }), async (engine, input) => {
    await engine.sendTaskSuccess(input.taskToken, input.output);
    return {};
  }),
  SendTaskFailure: operation(z.object({ taskToken: token, ...failure }), async (engine, input) => {
    await engine.sendTaskFailure(input.taskToken, failureOf(input));
    return {};
  }),
  SendTaskHeartbeat: operation(z.object({ taskToken: token }), async (engine, input) => {
    await engine.sendTaskHeartbeat(input.taskToken);
    return {};
  }),
} satisfies Record<string, Operation>;

function failureOf({ error, cause }: { error?: string | undefined; cause?: string | undefined }) {
  return { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) };
}

function machineSummary(row: MachineRow): Record<string, unknown> {
  return { stateMachineArn: row.arn, name: row.name, type: 'STANDARD', creationDate: seconds(row.created) };
}

function machineDetails(row: MachineRow, withData: boolean): Record<string, unknown> {
  return {
    ...(withData ? { definition: row.definition } : {}),
    roleArn: row.roleArn,
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
    revisionId: revisionOf(row),
  };
}

function revisionOf(row: MachineRow): string {
  return `${row.definitionId}`;
}

function executionSummary(row: ExecutionRow): Record<string, unknown> {
  return {
    executionArn: row.arn,
    stateMachineArn: row.stateMachineArn,
    name: row.name,
    status: row.status,
    startDate: seconds(row.startDate),
    ...(row.stopDate === undefined ? {} : { stopDate: seconds(row.stopDate) }),
    redriveCount: 0,
  };
}

function executionData(row: ExecutionRow, withData: boolean): Record<string, unknown> {
  const included = { included: withData };
  const { error, cause, output } = row;
  return {
    ...(withData ? { input: row.input, ...failureOf({ error, cause }) } : {}),
    inputDetails: included,
    ...(output === undefined ? {} : { ...(withData ? { output } : {}), outputDetails: included }),
    redriveStatus: 'NOT_REDRIVABLE',
  };
}
