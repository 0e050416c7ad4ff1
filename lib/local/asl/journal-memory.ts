import type { EventLog } from './event-log.ts';
import type { HistoryEvent } from './history.ts';
import type { ExecutionRow, Journal, ListOptions, MachineRow, Notice } from './journal.ts';
import { RecordBatch } from './journal-code.ts';

/** A journal that is gone with the process. */
export class MemoryJournal implements Journal {
  readonly immediate = true;
  readonly #machines = new Map<string, MachineRow>();
  readonly #definitions = new Map<number, string>();
  readonly #executions = new Map<string, ExecutionRow>();
  readonly #histories = new Map<number, EventLog>();

  saveMachine(row: MachineRow): void {
    this.#machines.set(row.arn, row);
    this.#definitions.set(row.definitionId, row.definition);
  }

  machines(): readonly MachineRow[] {
    return [...this.#machines.values()];
  }

  definition(id: number): string | undefined {
    return this.#definitions.get(id);
  }

  addExecution(row: ExecutionRow): void {
    this.#executions.set(row.arn, row);
  }

  /** What goes in is dropped: nobody can read it again. */
  batch(): RecordBatch {
    return new RecordBatch();
  }

  endExecution(row: ExecutionRow, events: EventLog): void {
    this.#histories.set(row.id, events);
  }

  openExecutions() {
    return [];
  }

  findExecution(arn: string): ExecutionRow | undefined {
    return this.#executions.get(arn);
  }

  listExecutions(stateMachineArn: string, { status, offset, limit }: ListOptions): readonly ExecutionRow[] {
    return [...this.#executions.values()]
      .filter((row) => row.stateMachineArn === stateMachineArn && (status ?? row.status) === row.status)
      .sort((one, other) => other.startDate - one.startDate || other.id - one.id)
      .slice(offset, offset + limit);
  }

  history(executionId: number): readonly HistoryEvent[] {
    return this.#histories.get(executionId)?.events() ?? [];
  }

  highestId(): number {
    return 0;
  }

  markTold(_executionId: number, _notice: Notice): void {}

  untold() {
    return [];
  }

  async flushed(): Promise<void> {}

  async settled(): Promise<void> {}

  requireWritable(): void {}

  close(): void {}
}
