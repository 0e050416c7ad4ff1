import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CaregateError } from '../../errors.ts';
import type { FaultPoint } from './fault.ts';
import type { HistoryEvent } from './history.ts';
import type { ExecutionRow, Journal, ListOptions, MachineRow, Notice, OpenExecution } from './journal.ts';
import { decodeRecords, RecordBatch } from './journal-code.ts';
import { readExecution } from './journal-row.ts';
import { applicationId, journalVersion, schema } from './journal-schema.ts';
import type { JournalRecord } from './record.ts';
import type { EngineClock } from './timer.ts';

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
  /** Waits on when a commit fails. */
  readonly patient: boolean;
}

export interface JournalFileOptions {
  readonly clock: EngineClock;
  readonly fault?: ((point: FaultPoint) => void) | undefined;
  /** The file must not grow over this many pages of 8 KiB; without it the disk is the limit. */
  readonly maxPages?: number | undefined;
}

/** How much of an execution's status has been told, as a row says it. */
const toldLevels = { started: 1, ended: 2 } as const;

/** How long a journal that could not be written waits before it tries again. */
const retryMilliseconds = 1000;

/** The journal in one SQLite file, written ahead and synced at every commit. */
export class JournalFile implements Journal {
  readonly immediate = false;
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #options: JournalFileOptions;
  readonly #statements = new Map<string, StatementSync>();
  #writes: (() => void)[] = [];
  #batches = new Map<number, RecordBatch>();
  readonly #told = new Map<number, number>();
  #waiters: Waiter[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #cancelRetry: (() => void) | undefined;
  #failure: CaregateError | undefined;

  /** @throws CaregateError `DATA_DIRECTORY_INVALID` for a file that is not a journal of ours; it is left as it is */
  constructor(file: string, options: JournalFileOptions) {
    this.#file = file;
    this.#options = options;
    this.#database = openDatabase(file);
    if (options.maxPages !== undefined) this.#database.exec(`PRAGMA max_page_count = ${options.maxPages}`);
  }

  saveMachine(row: MachineRow): void {
    this.#write(() => {
      this.#run('INSERT OR IGNORE INTO definitions VALUES (?, ?)', row.definitionId, row.definition);
      const values = [row.arn, row.name, row.roleArn, row.created, row.updated, row.definitionId];
      this.#run('INSERT OR REPLACE INTO machines VALUES (?, ?, ?, ?, ?, ?)', ...values);
    });
  }

  machines(): readonly MachineRow[] {
    return this.#all(
      'SELECT arn, name, role AS roleArn, created, updated, definition AS definitionId, text AS definition FROM machines JOIN definitions ON definitions.id = definition',
    ) as unknown as MachineRow[];
  }

  definition(id: number): string | undefined {
    const [row] = this.#all('SELECT text FROM definitions WHERE id = ?', id);
    return row?.text as string | undefined;
  }

  addExecution(row: ExecutionRow): void {
    const values = [
      row.id,
      row.arn,
      row.name,
      row.stateMachineArn,
      row.definitionId,
      row.input,
      row.startDate,
    ];
    this.#write(() =>
      this.#run(
        "INSERT INTO executions (id, arn, name, machine, definition, input, start, status) VALUES (?, ?, ?, ?, ?, ?, ?, 'RUNNING')",
        ...values,
      ),
    );
  }

  batch(executionId: number): RecordBatch {
    let batch = this.#batches.get(executionId);
    if (batch === undefined) {
      batch = new RecordBatch();
      this.#batches.set(executionId, batch);
      this.#schedule();
    }
    return batch;
  }

  endExecution({ id, status, stopDate, output, error, cause }: ExecutionRow): void {
    const values = [status, stopDate ?? null, output ?? null, error ?? null, cause ?? null, id];
    this.#write(() =>
      this.#run(
        'UPDATE executions SET status = ?, stop = ?, output = ?, error = ?, cause = ? WHERE id = ?',
        ...values,
      ),
    );
  }

  openExecutions(): readonly OpenExecution[] {
    return this.#all("SELECT * FROM executions WHERE status = 'RUNNING' ORDER BY id").map((row) => {
      const execution = readExecution(row);
      const batches = this.#batchesOf(execution.id);
      return { row: execution, records: batches.flatMap((body) => this.#decode(body)) };
    });
  }

  findExecution(arn: string): ExecutionRow | undefined {
    const [row] = this.#all('SELECT * FROM executions WHERE arn = ?', arn);
    return row === undefined ? undefined : readExecution(row);
  }

  listExecutions(stateMachineArn: string, { status, offset, limit }: ListOptions): readonly ExecutionRow[] {
    return this.#all(
      'SELECT * FROM executions WHERE machine = ? AND (? IS NULL OR status = ?) ORDER BY start DESC, id DESC LIMIT ? OFFSET ?',
      stateMachineArn,
      status ?? null,
      status ?? null,
      limit,
      offset,
    ).map(readExecution);
  }

  history(executionId: number): readonly HistoryEvent[] {
    return this.#batchesOf(executionId).flatMap((body) =>
      this.#decode(body).flatMap(({ event }) => (event === undefined ? [] : [event])),
    );
  }

  highestId(): number {
    const [row] = this.#all(
      'SELECT max(coalesce((SELECT max(id) FROM executions), 0), coalesce((SELECT max(id) FROM definitions), 0)) AS id',
    );
    return Number(row?.id ?? 0);
  }

  /** Rides with the next commit: a crash before it only means that it is told again. */
  markTold(executionId: number, notice: Notice): void {
    this.#told.set(executionId, toldLevels[notice]);
  }

  untold(): readonly { row: ExecutionRow; notice: Notice }[] {
    const rows = this.#all(
      "SELECT * FROM executions WHERE told < 2 AND (told < 1 OR status <> 'RUNNING') ORDER BY id",
    );
    return rows.flatMap((row) => {
      const execution = readExecution(row);
      const notices: Notice[] = row.told === 0 ? ['started'] : [];
      if (execution.status !== 'RUNNING') notices.push('ended');
      return notices.map((notice) => ({ row: execution, notice }));
    });
  }

  /** Forgets executions that closed before a moment: their names come free. */
  prune(before: number): void {
    this.#write(() => {
      this.#run('DELETE FROM records WHERE execution IN (SELECT id FROM executions WHERE stop < ?)', before);
      this.#run('DELETE FROM executions WHERE stop < ?', before);
    });
  }

  /** Writes everything, what is queued included, into a new file. */
  snapshot(file: string): void {
    this.#flush();
    if (this.#failure !== undefined) throw this.#failure;
    this.#run('VACUUM INTO ?', file);
  }

  flushed(): Promise<void> {
    return this.#wait(false);
  }

  settled(): Promise<void> {
    return this.#wait(true);
  }

  requireWritable(): void {
    if (this.#failure === undefined) return;
    this.#flush();
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    if (!this.#database.isOpen) return;
    if (this.#pending() || this.#told.size > 0) this.#flush();
    this.#cancelRetry?.();
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#database.close();
  }

  #wait(patient: boolean): Promise<void> {
    if (!this.#pending()) return Promise.resolve();
    if (!patient && this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject, patient });
    });
  }

  #pending(): boolean {
    return this.#writes.length > 0 || this.#batches.size > 0;
  }

  #write(write: () => void): void {
    this.#writes.push(write);
    this.#schedule();
  }

  /** Once for all that comes before the event loop turns: the group of a group commit. */
  #schedule(): void {
    if (this.#failure !== undefined) return;
    this.#scheduled ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    const waiters = this.#waiters;
    this.#waiters = [];
    try {
      this.#commit();
      this.#failure = undefined;
    } catch (error) {
      this.#failed(error, waiters);
      return;
    }
    for (const waiter of waiters) waiter.resolve();
  }

  #commit(): void {
    this.#options.fault?.('before-commit');
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const write of this.#writes) write();
      for (const [execution, batch] of this.#batches) {
        this.#run('INSERT INTO records (execution, body) VALUES (?, ?)', execution, batch.encode());
      }
      for (const [execution, level] of this.#told) {
        this.#run('UPDATE executions SET told = ? WHERE id = ?', level, execution);
      }
      this.#options.fault?.('inside-commit');
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    this.#writes = [];
    this.#batches = new Map();
    this.#told.clear();
    this.#options.fault?.('after-commit');
  }

  /** Nothing is lost: what is queued stays queued, and what waits for it goes on waiting, or is told. */
  #failed(error: unknown, waiters: readonly Waiter[]): void {
    this.#failure = new CaregateError(
      'JOURNAL_UNAVAILABLE',
      `journal \`${this.#file}\` cannot be written; free some space, it goes on by itself`,
      { cause: error },
    );
    for (const waiter of waiters) {
      if (waiter.patient) this.#waiters.push(waiter);
      else waiter.reject(this.#failure);
    }
    const { clock } = this.#options;
    this.#cancelRetry = clock.at(clock.now() + retryMilliseconds, () => this.#flush());
  }

  #batchesOf(executionId: number): string[] {
    const rows = this.#all('SELECT body FROM records WHERE execution = ? ORDER BY seq', executionId);
    return rows.map(({ body }) => String(body));
  }

  #decode(body: string): JournalRecord[] {
    try {
      return decodeRecords(body);
    } catch (error) {
      throw invalid(this.#file, 'is damaged; restore it from a backup', error);
    }
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#statement(sql).run(...values);
  }

  #all(sql: string, ...values: (string | number | null)[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function openDatabase(file: string): DatabaseSync {
  const existed = existsSync(file);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    verify(database, file, existed);
    database.exec(
      'PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000',
    );
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    if (pragma(database, 'user_version') === 0) create(database);
    return database;
  } catch (error) {
    if (database?.isOpen === true) database.close();
    if (error instanceof CaregateError) throw error;
    const busy = (error as { errcode?: number }).errcode === 5;
    throw invalid(
      file,
      busy ? 'is used by another process; stop that first' : 'is damaged; restore it from a backup',
      error,
    );
  }
}

/** Reads before anything is written: a file that is not ours, or is newer than we are, stays untouched. */
function verify(database: DatabaseSync, file: string, existed: boolean): void {
  const version = pragma(database, 'user_version');
  const [{ tables } = { tables: 0 }] = database
    .prepare('SELECT count(*) AS tables FROM sqlite_schema')
    .all() as { tables: number }[];
  if (!existed || (version === 0 && tables === 0)) return;
  if (pragma(database, 'application_id') !== applicationId) {
    throw invalid(file, 'is not a journal of this engine; name another file');
  }
  if (version > journalVersion) {
    throw invalid(
      file,
      `was written by a newer version (${version}, this one knows ${journalVersion}); update first`,
    );
  }
  const [check] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (check?.quick_check !== 'ok') throw invalid(file, 'is damaged; restore it from a backup');
}

function create(database: DatabaseSync): void {
  database.exec(
    `BEGIN; ${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${journalVersion}; COMMIT`,
  );
}

function pragma(database: DatabaseSync, name: string): number {
  const [row] = database.prepare(`PRAGMA ${name}`).all() as Record<string, number>[];
  return row?.[name] ?? 0;
}

function invalid(file: string, what: string, cause?: unknown): CaregateError {
  return new CaregateError('DATA_DIRECTORY_INVALID', `journal \`${file}\` ${what}`, { cause });
}
