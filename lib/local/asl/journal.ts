import type { EventLog } from './event-log.ts';
import type { ExecutionStatus } from './execution.ts';
import type { HistoryEvent } from './history.ts';
import type { RecordBatch } from './journal-code.ts';
import type { JournalRecord } from './record.ts';

/** A state machine. Its definition is kept apart: an execution ends under the one that it began with. */
export interface MachineRow {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly updated: number;
  readonly definitionId: number;
  readonly definition: string;
}

export interface ExecutionRow {
  readonly id: number;
  readonly arn: string;
  readonly name: string;
  readonly stateMachineArn: string;
  readonly definitionId: number;
  /** JSON text. */
  readonly input: string;
  readonly startDate: number;
  status: ExecutionStatus;
  stopDate?: number;
  output?: string;
  error?: string;
  cause?: string;
}

/** Status changes that somebody is told about: the start, and the end. */
export type Notice = 'started' | 'ended';

/** What a restarted engine goes on with. */
export interface OpenExecution {
  readonly row: ExecutionRow;
  readonly records: readonly JournalRecord[];
}

export interface ListOptions {
  readonly status?: ExecutionStatus | undefined;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Where everything is written before anybody can see what follows from it. Writes are queued, and committed
 * together when the event loop comes round: so many executions share one sync of the disk.
 */
export interface Journal {
  /** Whether nothing has to be waited for, because nothing survives the process anyway. */
  readonly immediate: boolean;
  saveMachine(row: MachineRow): void;
  machines(): readonly MachineRow[];
  definition(id: number): string | undefined;

  addExecution(row: ExecutionRow): void;
  /** Where the next records of an execution go. */
  batch(executionId: number): RecordBatch;
  endExecution(row: ExecutionRow, events: EventLog): void;
  openExecutions(): readonly OpenExecution[];
  /** Also one that has ended. */
  findExecution(arn: string): ExecutionRow | undefined;
  /** The youngest first. */
  listExecutions(stateMachineArn: string, options: ListOptions): readonly ExecutionRow[];
  history(executionId: number): readonly HistoryEvent[];
  highestId(): number;

  markTold(executionId: number, notice: Notice): void;
  /** Executions of which a status change may not have been told. */
  untold(): readonly { row: ExecutionRow; notice: Notice }[];

  /** Resolves when what has been queued so far is on disk. @throws CaregateError `JOURNAL_UNAVAILABLE` */
  flushed(): Promise<void>;
  /** As {@link flushed}, but waits for a journal that cannot be written to recover. */
  settled(): Promise<void>;
  /** @throws CaregateError `JOURNAL_UNAVAILABLE` while nothing can be written */
  requireWritable(): void;
  /** Writes what is queued and lets go of the file. */
  close(): void;
}
