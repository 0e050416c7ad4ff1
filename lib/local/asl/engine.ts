import { CaregateError } from '../../errors.ts';
import type { Randomness } from '../../provenance/randomness.ts';
import { Execution, type Host, type Invoke, type OpenTask } from './execution.ts';
import { Expressions } from './expression.ts';
import type { FaultPoint } from './fault.ts';
import { foldRecord } from './fold.ts';
import type { HistoryEvent } from './history.ts';
import type { ExecutionRow, Journal, ListOptions, MachineRow, OpenExecution } from './journal.ts';
import { JournalFile } from './journal-file.ts';
import { MemoryJournal } from './journal-memory.ts';
import { limits } from './limits.ts';
import { loadMachine, type Machine } from './machine.ts';
import { executionArn, type Place, requireArn, requireName, stateMachineArn } from './names.ts';
import { isJson, isTooLarge, Payload } from './payload.ts';
import { StatesRefusal } from './refusal.ts';
import { type StatusChange, StatusNotices } from './status-notices.ts';
import { heartbeat, taskFailed, taskSucceeded } from './task-call.ts';
import { isTaskToken } from './task-token.ts';
import type { EngineClock } from './timer.ts';

export type { FunctionError, Invoke } from './execution.ts';
export type { ExecutionRow, MachineRow } from './journal.ts';
export type { StatusChange } from './status-notices.ts';
export { type EngineClock, systemTimer, VirtualClock } from './timer.ts';

export interface EngineOptions {
  /** A file path, or `:memory:` for executions that end with the process. */
  readonly journal: string;
  readonly clock: EngineClock;
  readonly randomness: Randomness;
  readonly invoke: Invoke;
  readonly region?: string;
  readonly account?: string;
  /**
   * EventBridge's «Step Functions Execution Status Change»: the start and the end of each execution, at least
   * once, also after a crash. A rejection is tried again.
   */
  readonly onStatusChange?: (change: StatusChange) => void | Promise<void>;
  /** For tests: called at each of the moments at which a crash is tested. */
  readonly fault?: (point: FaultPoint) => void;
  /** For tests: the journal must not take more pages of 8 KiB, as if the disk were full. */
  readonly maxPages?: number;
}

export interface StartOptions {
  readonly stateMachineArn: string;
  readonly name?: string | undefined;
  /** JSON text; `{}` if there is none. */
  readonly input?: string | undefined;
}

/**
 * Opens the engine and goes on with every execution that its journal holds open.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` for a journal that is damaged, foreign, newer, or in use
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { clock, fault, maxPages } = options;
  const journal =
    options.journal === ':memory:'
      ? new MemoryJournal()
      : new JournalFile(options.journal, { clock, fault, maxPages });
  try {
    const engine = new Engine(options, journal);
    engine.recover();
    if (journal instanceof JournalFile) journal.prune(clock.now() - limits.retentionMilliseconds);
    await journal.flushed();
    fault?.('recovered');
    return engine;
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** The embedded Step Functions: what the API does, on plain values. Times are milliseconds since the epoch. */
export class Engine {
  readonly place: Place;
  readonly #host: Host;
  readonly #journal: Journal;
  readonly #expressions: Expressions;
  readonly #machines = new Map<string, MachineRow>();
  readonly #loaded = new Map<number, Machine>();
  readonly #running = new Map<string, Execution>();
  readonly #notices: StatusNotices;
  readonly #file: string;
  #lastId: number;

  /** Use {@link openEngine}. */
  constructor(options: EngineOptions, journal: Journal) {
    const { clock, randomness, region = 'us-east-1', account = '000000000000' } = options;
    this.place = { region, account };
    this.#journal = journal;
    this.#file = options.journal;
    this.#expressions = new Expressions({ clock, randomness });
    this.#lastId = journal.highestId();
    this.#notices = new StatusNotices(options, journal);
    this.#host = {
      clock,
      randomness,
      journal,
      region,
      invoke: options.invoke,
      fault: options.fault,
      tokens: new Map<string, OpenTask>(),
      ended: (execution) => this.#ended(execution),
    };
  }

  /**
   * Rebuilds what the journal holds open, all of it before anything goes on.
   * @throws CaregateError `DATA_DIRECTORY_INVALID` where records do not fit together
   */
  recover(): void {
    for (const row of this.#journal.machines()) this.#machines.set(row.arn, row);
    const open = this.#journal.openExecutions().map((each) => this.#rebuild(each));
    for (const execution of open) this.#running.set(execution.row.arn, execution);
    this.#notices.recover();
    for (const execution of open) execution.resume();
  }

  #rebuild({ row, records }: OpenExecution): Execution {
    const execution = this.#execution(row);
    try {
      for (const record of records) foldRecord(execution.threads, record);
    } catch (cause) {
      const message = `journal \`${this.#file}\` has records that do not fit together; restore it from a backup`;
      throw new CaregateError('DATA_DIRECTORY_INVALID', message, { cause });
    }
    return execution;
  }

  /** Creates a machine, or finds the same one. */
  async createStateMachine(name: string, definition: string, roleArn: string): Promise<MachineRow> {
    requireName(name);
    const machine = loadMachine(definition, this.#expressions);
    const arn = stateMachineArn(this.place, name);
    const existing = this.#machines.get(arn);
    if (existing === undefined) return this.#saveMachine({ arn, name, roleArn, definition }, machine);
    if (existing.definition === definition && existing.roleArn === roleArn) return existing;
    throw new StatesRefusal('StateMachineAlreadyExists', `State Machine Already Exists: '${arn}'`);
  }

  /** Gives a machine another definition. What runs goes on under the old one. */
  async updateStateMachine(
    arn: string,
    changes: { definition?: string; roleArn?: string },
  ): Promise<MachineRow> {
    const row = this.stateMachine(arn);
    const { definition = row.definition, roleArn = row.roleArn } = changes;
    const machine = loadMachine(definition, this.#expressions);
    return this.#saveMachine({ arn, name: row.name, roleArn, definition, created: row.created }, machine);
  }

  /** @throws StatesRefusal `InvalidArn`, `StateMachineDoesNotExist` */
  stateMachine(arn: string): MachineRow {
    const row = this.#machines.get(arn);
    if (row === undefined) {
      requireArn(arn, 'stateMachine');
      throw new StatesRefusal('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
    }
    return row;
  }

  listStateMachines(): readonly MachineRow[] {
    return [...this.#machines.values()].sort((one, other) => one.created - other.created);
  }

  /** Starts an execution; with the name and the input of one that runs, finds that one. */
  async startExecution({
    stateMachineArn: machineArn,
    name,
    input = '{}',
  }: StartOptions): Promise<ExecutionRow> {
    const machine = this.stateMachine(machineArn);
    const chosen = name ?? this.#newName();
    requireName(chosen);
    if (isTooLarge(input, limits.payloadBytes) || !isJson(input)) {
      throw new StatesRefusal(
        'InvalidExecutionInput',
        'Invalid State Machine Execution Input: not JSON, or too long',
      );
    }
    this.#journal.requireWritable();
    const arn = executionArn(this.place, machine.name, chosen);
    const existing = this.#running.get(arn)?.row ?? this.#journal.findExecution(arn);
    const row = existing ?? this.#start(arn, chosen, machine, input);
    if (existing !== undefined && (existing.status !== 'RUNNING' || existing.input !== input)) {
      throw new StatesRefusal('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
    }
    if (!this.#journal.immediate) await this.#journal.flushed();
    return row;
  }

  /** @throws StatesRefusal `InvalidArn`, `ExecutionDoesNotExist` */
  async execution(arn: string): Promise<ExecutionRow> {
    await this.#journal.flushed();
    return this.#find(arn);
  }

  async listExecutions(machineArn: string, options: ListOptions): Promise<readonly ExecutionRow[]> {
    this.stateMachine(machineArn);
    await this.#journal.flushed();
    return this.#journal.listExecutions(machineArn, options);
  }

  async history(arn: string): Promise<readonly HistoryEvent[]> {
    await this.#journal.flushed();
    const row = this.#find(arn);
    return this.#running.get(arn)?.threads.events.events() ?? this.#journal.history(row.id);
  }

  /** The machine as it was when the execution started. */
  async stateMachineOf(arn: string): Promise<MachineRow> {
    const row = await this.execution(arn);
    const machine = this.stateMachine(row.stateMachineArn);
    const definition = this.#journal.definition(row.definitionId) ?? machine.definition;
    return { ...machine, definition, definitionId: row.definitionId };
  }

  /** Stops an execution; one that has ended stays as it is. @returns when it stopped */
  async stopExecution(arn: string, failure: { error?: string; cause?: string } = {}): Promise<number> {
    const row = this.#find(arn);
    this.#journal.requireWritable();
    this.#running.get(arn)?.abort(failure);
    await this.#journal.flushed();
    return row.stopDate ?? this.#host.clock.now();
  }

  /** @param output JSON text, attacker-controlled as far as whoever has the token is */
  async sendTaskSuccess(token: string, output: string): Promise<void> {
    if (isTooLarge(output, limits.payloadBytes) || !isJson(output)) {
      throw new StatesRefusal('InvalidOutput', 'Invalid Output: not JSON, or too long');
    }
    await this.#callback(token, ({ execution, scope }) =>
      taskSucceeded(execution, scope, Payload.parse(output)),
    );
  }

  async sendTaskFailure(token: string, failure: { error?: string; cause?: string }): Promise<void> {
    await this.#callback(token, ({ execution, scope }) => taskFailed(execution, scope, failure));
  }

  async sendTaskHeartbeat(token: string): Promise<void> {
    await this.#callback(token, ({ execution, scope, phase }) => heartbeat(execution, scope, phase));
  }

  /**
   * Writes the journal, as it stands in this instant, into a new file.
   * @throws CaregateError `JOURNAL_UNAVAILABLE`
   */
  snapshot(file: string): void {
    if (this.#journal instanceof JournalFile) this.#journal.snapshot(file);
  }

  /** Writes what is pending and lets go of the journal. Executions go on when it is opened again. */
  async close(): Promise<void> {
    for (const execution of this.#running.values()) execution.close();
    this.#notices.close();
    this.#running.clear();
    this.#journal.close();
  }

  /** A token is used up by the first success or failure that arrives: that is recorded before anything else happens. */
  async #callback(token: string, accept: (task: OpenTask) => void): Promise<void> {
    if (token.length > limits.taskTokenLength || !isTaskToken(token)) {
      throw new StatesRefusal('InvalidToken', "Invalid Token: 'Invalid token'");
    }
    this.#journal.requireWritable();
    const task = this.#host.tokens.get(token);
    if (task === undefined) {
      throw new StatesRefusal('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
    }
    task.execution.guarded(() => accept(task));
    this.#host.fault?.('callback-recorded');
    await this.#journal.flushed();
    this.#host.fault?.('callback-durable');
  }

  #find(arn: string): ExecutionRow {
    const row = this.#running.get(arn)?.row ?? this.#journal.findExecution(arn);
    if (row !== undefined) return row;
    requireArn(arn, 'execution');
    throw new StatesRefusal('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
  }

  #start(arn: string, name: string, machine: MachineRow, input: string): ExecutionRow {
    this.#lastId += 1;
    const row: ExecutionRow = {
      id: this.#lastId,
      arn,
      name,
      stateMachineArn: machine.arn,
      definitionId: machine.definitionId,
      input,
      startDate: this.#host.clock.now(),
      status: 'RUNNING',
    };
    const execution = this.#execution(row);
    this.#journal.addExecution(row);
    this.#running.set(arn, execution);
    this.#notices.tell(row, 'started');
    execution.start();
    return row;
  }

  #execution(row: ExecutionRow): Execution {
    const machine = this.stateMachine(row.stateMachineArn);
    return new Execution(this.#host, row, this.#load(row.definitionId), {
      machineName: machine.name,
      roleArn: machine.roleArn,
    });
  }

  #load(definitionId: number): Machine {
    const known = this.#loaded.get(definitionId);
    if (known !== undefined) return known;
    const machine = loadMachine(this.#journal.definition(definitionId) ?? '', this.#expressions);
    this.#loaded.set(definitionId, machine);
    return machine;
  }

  async #saveMachine(
    row: { arn: string; name: string; roleArn: string; definition: string; created?: number },
    machine: Machine,
  ): Promise<MachineRow> {
    this.#journal.requireWritable();
    this.#lastId += 1;
    const now = this.#host.clock.now();
    const saved = { ...row, created: row.created ?? now, updated: now, definitionId: this.#lastId };
    this.#loaded.set(saved.definitionId, machine);
    this.#machines.set(saved.arn, saved);
    this.#journal.saveMachine(saved);
    await this.#journal.flushed();
    return saved;
  }

  /** The end is forgotten here only when the journal has it. */
  #ended(execution: Execution): void {
    this.#host.fault?.('ended');
    this.#notices.tell(execution.row, 'ended');
    const forget = () => this.#running.delete(execution.row.arn);
    if (this.#journal.immediate) forget();
    else this.#journal.settled().then(forget);
  }

  #newName(): string {
    return Buffer.from(this.#host.randomness.bytes(16)).toString('hex');
  }
}
