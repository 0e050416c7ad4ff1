import type { ExecutionStatus } from './execution.ts';
import type { FaultPoint } from './fault.ts';
import type { ExecutionRow, Journal, Notice } from './journal.ts';
import type { EngineClock } from './timer.ts';

/** EventBridge's «Step Functions Execution Status Change». Dates are milliseconds since the epoch. */
export interface StatusChange {
  readonly executionArn: string;
  readonly stateMachineArn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly startDate: number;
  readonly stopDate?: number;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

export interface NoticeOptions {
  readonly clock: EngineClock;
  readonly onStatusChange?: (change: StatusChange) => void | Promise<void>;
  readonly fault?: (point: FaultPoint) => void;
}

/** How long a notice that was not taken waits before it is tried again. */
const retryMilliseconds = 5000;

/** Tells of status changes when they are durable, and again after a crash or a refusal: at least once. */
export class StatusNotices {
  readonly #options: NoticeOptions;
  readonly #journal: Journal;
  #closed = false;
  readonly #retries = new Set<() => void>();

  constructor(options: NoticeOptions, journal: Journal) {
    this.#options = options;
    this.#journal = journal;
  }

  /** Tells what may not have been told before the last stop. */
  recover(): void {
    for (const { row, notice } of this.#journal.untold()) this.tell(row, notice);
  }

  tell(row: ExecutionRow, notice: Notice): void {
    if (this.#options.onStatusChange === undefined) this.#journal.markTold(row.id, notice);
    else this.#deliver(row.id, notice, changeOf(row, notice));
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#retries) cancel();
  }

  #deliver(executionId: number, notice: Notice, change: StatusChange): void {
    if (this.#journal.immediate) this.#hand(executionId, notice, change);
    else void this.#journal.settled().then(() => this.#hand(executionId, notice, change));
  }

  #hand(executionId: number, notice: Notice, change: StatusChange): void {
    if (this.#closed) return;
    const { onStatusChange, fault } = this.#options;
    const told = () => {
      fault?.('after-notice');
      if (!this.#closed) this.#journal.markTold(executionId, notice);
    };
    try {
      fault?.('before-notice');
      const taken = onStatusChange?.(change);
      if (taken === undefined) told();
      else taken.then(told, () => this.#again(executionId, notice, change));
    } catch {
      this.#again(executionId, notice, change);
    }
  }

  #again(executionId: number, notice: Notice, change: StatusChange): void {
    if (this.#closed) return;
    const { clock } = this.#options;
    const cancel = clock.at(clock.now() + retryMilliseconds, () => {
      this.#retries.delete(cancel);
      this.#deliver(executionId, notice, change);
    });
    this.#retries.add(cancel);
  }
}

function changeOf(row: ExecutionRow, notice: Notice): StatusChange {
  const { arn, stateMachineArn, name, startDate, input } = row;
  const common = { executionArn: arn, stateMachineArn, name, startDate, input };
  if (notice === 'started') return { ...common, status: 'RUNNING' };
  return {
    ...common,
    status: row.status,
    ...(row.stopDate === undefined ? {} : { stopDate: row.stopDate }),
    ...(row.output === undefined ? {} : { output: row.output }),
    ...(row.error === undefined ? {} : { error: row.error }),
    ...(row.cause === undefined ? {} : { cause: row.cause }),
  };
}
