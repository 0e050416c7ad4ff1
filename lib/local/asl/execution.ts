import type { Randomness } from '../../provenance/randomness.ts';
import type { Failure } from './failure.ts';
import { type FaultPoint, noFaults } from './fault.ts';
import { foldEntered, foldEvent, foldExited, foldNote, newThreads, type Threads } from './fold.ts';
import { type Details, type HistoryEvent, whole } from './history.ts';
import type { ExecutionRow, Journal } from './journal.ts';
import { limits } from './limits.ts';
import type { Machine } from './machine.ts';
import { Payload } from './payload.ts';
import { runThread } from './progress.ts';
import type { Extra, Note } from './record.ts';
import type { ScheduledPhase, Scope } from './scope.ts';
import { parked, runSteps, type Steps, waitFor } from './steps.ts';
import type { EngineClock } from './timer.ts';

/** Calls a function by its bare name. The answer is Lambda's: a payload, or the payload of a function error. */
export type Invoke = (
  functionName: string,
  payload: unknown,
  context: { readonly signal: AbortSignal },
) => Promise<{ payload: unknown } | { error: FunctionError }>;

export interface FunctionError {
  readonly errorType?: string | undefined;
  readonly errorMessage?: string | undefined;
}

/** A token that is out: the task that it completes. */
export interface OpenTask {
  readonly execution: Execution;
  readonly scope: Scope;
  readonly phase: ScheduledPhase;
}

/** What executions need from their engine. */
export interface Host {
  readonly clock: EngineClock;
  readonly randomness: Randomness;
  readonly journal: Journal;
  readonly invoke: Invoke;
  readonly region: string;
  readonly tokens: Map<string, OpenTask>;
  readonly fault?: ((point: FaultPoint) => void) | undefined;
  /** Told after the end has been recorded, before it is durable. */
  ended(execution: Execution): void;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** Thrown when an event would go over the limit of a history; the last event says so. */
class HistoryFull extends Error {}

/** One execution that runs. All it knows is what its records add up to. */
export class Execution {
  readonly host: Host;
  readonly row: ExecutionRow;
  readonly machineName: string;
  readonly roleArn: string;
  readonly threads: Threads;
  /** The context object's `Execution` and `StateMachine`, which do not change. */
  readonly input: Payload;
  #cancelTimeout: (() => void) | undefined;
  #time = 0;
  #timeLeft = 0;

  constructor(
    host: Host,
    row: ExecutionRow,
    machine: Machine,
    about: { machineName: string; roleArn: string },
  ) {
    this.host = host;
    this.row = row;
    this.machineName = about.machineName;
    this.roleArn = about.roleArn;
    this.input = Payload.parse(row.input);
    this.threads = newThreads(machine, this.input);
  }

  get running(): boolean {
    return this.row.status === 'RUNNING';
  }

  /** Records the start and runs as far as nothing has to be waited for. */
  start(): void {
    const { root } = this.threads;
    const details = { input: this.row.input, inputDetails: whole, roleArn: this.roleArn };
    this.record(root, 'ExecutionStarted', details, 0);
    this.resume();
  }

  /** Goes on from what has been recorded. */
  resume(): void {
    this.#armTimeout();
    for (const scope of [...this.threads.scopes.values()]) {
      if (this.running && !scope.closed) this.run(scope);
    }
  }

  /** Runs a thread as far as it goes now. */
  run(scope: Scope): void {
    runSteps(runThread(this, scope), {
      alive: () => {
        this.#timeLeft = 0;
        return this.running && !scope.closed;
      },
      park: (resume) => {
        scope.wake = resume;
      },
      crash: (error) => this.#crash(error),
    });
  }

  /**
   * Records an event, which happens by recording it.
   * @param previous the event that it chains from, by default the thread's last one
   * @param payload its input, output or result, where it has one
   * @param extra what has to be remembered beyond what the event shows
   */
  record(
    scope: Scope,
    type: string,
    details: Details | undefined,
    previous: number = scope.last,
    payload?: Payload,
    extra?: Extra,
  ): void {
    const { host, threads, row } = this;
    const id = threads.events.length + 1;
    this.#requireRoom();
    const event: HistoryEvent = { id, previousEventId: previous, timestamp: this.#now(), type, details };
    foldEvent(threads, scope, event, extra, payload);
    if (!host.journal.immediate) host.journal.batch(row.id).addEvent(scope.key, event, extra);
  }

  /** Records that a thread enters a state. Most of a history is this, so it makes no object for it. */
  recordEntered(scope: Scope, type: string, name: string, input: Payload): void {
    const { last } = scope;
    const timestamp = this.#now();
    this.#requireRoom();
    foldEntered(this.threads, scope, type, last, timestamp, name, input);
    this.#journalState(scope, type, last, timestamp, name, input.text);
  }

  /** Records that a thread leaves its state, without assigning variables. */
  recordExited(scope: Scope, type: string, name: string, output: Payload): void {
    const { last } = scope;
    const timestamp = this.#now();
    this.#requireRoom();
    foldExited(this.threads, scope, type, last, timestamp, name, output);
    this.#journalState(scope, type, last, timestamp, name, output.text);
  }

  #journalState(
    scope: Scope,
    type: string,
    previous: number,
    timestamp: number,
    name: string,
    text: string,
  ): void {
    if (this.host.journal.immediate) return;
    const event = { previous, timestamp, type, name, text };
    this.host.journal.batch(this.row.id).addState(scope.key, this.threads.events.length, event);
  }

  #requireRoom(): void {
    if (this.threads.events.length >= limits.historyEvents - 1 && this.running) throw new HistoryFull();
  }

  /** The clock is read after each pause, and now and then on the way. */
  #now(): number {
    if (this.#timeLeft === 0) {
      this.#time = this.host.clock.now();
      this.#timeLeft = 16;
    }
    this.#timeLeft -= 1;
    return this.#time;
  }

  /** Records what AWS's history does not show. */
  note(scope: Scope, note: Note): void {
    foldNote(this.threads, scope, note);
    if (!this.host.journal.immediate) this.host.journal.batch(this.row.id).addNote(scope.key, note);
  }

  /** Waits until everything recorded so far is on disk: what follows may be seen outside. */
  *durable(): Steps<void> {
    if (!this.host.journal.immediate) yield* waitFor(this.host.journal.settled());
  }

  /** Lets a thread go on that is parked. */
  wake(scope: Scope): void {
    const { wake } = scope;
    scope.wake = undefined;
    wake?.();
  }

  /** Waits until a moment that the clock may already have passed. */
  *until(scope: Scope, time: number): Steps<void> {
    if (time <= this.host.clock.now()) return;
    this.at(scope, time, () => this.wake(scope));
    yield parked;
  }

  /** Calls back at a time, unless the thread leaves its state before. */
  at(scope: Scope, time: number, callback: () => void): () => void {
    const cancel = this.host.clock.at(time, () => {
      scope.cleanup.delete(cancel);
      (this.host.fault ?? noFaults)('timer-due');
      this.guarded(callback);
    });
    scope.cleanup.add(cancel);
    return () => {
      scope.cleanup.delete(cancel);
      cancel();
    };
  }

  /** Runs what comes from outside (an answer, a callback, a timer): an error in it ends the execution. */
  guarded(action: () => void): void {
    if (!this.running) return;
    this.#timeLeft = 0;
    try {
      action();
    } catch (error) {
      this.#crash(error);
    }
  }

  succeed(output: Payload): void {
    this.#end(
      'SUCCEEDED',
      'ExecutionSucceeded',
      { output: output.text, outputDetails: whole },
      { output: output.text },
    );
  }

  fail(failure: Failure): void {
    const about = described(failure);
    this.#end('FAILED', 'ExecutionFailed', about, about);
  }

  /** Stops on request. */
  abort(failure: Failure): void {
    const about = described(failure);
    this.#end('ABORTED', 'ExecutionAborted', about, about);
  }

  #end(status: ExecutionStatus, type: string, details: Details, outcome: Partial<ExecutionRow>): void {
    if (!this.running) return;
    // From here on the limit of the history does not apply: there is always room for the end.
    this.row.status = status;
    this.record(this.threads.root, type, details);
    Object.assign(this.row, outcome, { stopDate: this.host.clock.now() });
    this.close();
    this.host.journal.endExecution(this.row, this.threads.events);
    this.host.ended(this);
  }

  /** Drops everything that is under way, without recording anything. */
  close(): void {
    this.#cancelTimeout?.();
    for (const scope of this.threads.scopes.values()) {
      scope.closed = true;
      leaveBehind(scope);
    }
  }

  #armTimeout(): void {
    const { timeoutSeconds } = this.threads.machine;
    if (timeoutSeconds === undefined) return;
    const deadline = this.row.startDate + timeoutSeconds * 1000;
    this.#cancelTimeout = this.host.clock.at(deadline, () =>
      this.#end('TIMED_OUT', 'ExecutionTimedOut', {}, {}),
    );
  }

  #crash(error: unknown): void {
    if (error instanceof HistoryFull) {
      const cause = `The execution reached the maximum number of history events (${limits.historyEvents}).`;
      this.#end(
        'FAILED',
        'ExecutionFailed',
        { error: 'States.Runtime', cause },
        { error: 'States.Runtime', cause },
      );
      return;
    }
    // An error of the engine itself must not leave an execution that never ends.
    const cause = `The engine failed: ${error instanceof Error ? error.message : String(error)}`;
    this.fail({ error: 'States.Runtime', cause });
  }
}

/** Cancels the timers of a thread's state, and the call that it waits for. */
export function leaveBehind(scope: Scope): void {
  lapse(scope);
  const phase = scope.frame?.phase;
  if (phase?.kind === 'scheduled') phase.call?.interrupt();
}

/** Cancels the timers of a thread's state and uses up its token. */
export function lapse(scope: Scope): void {
  if (scope.cleanup.size === 0) return;
  for (const cancel of scope.cleanup) cancel();
  scope.cleanup.clear();
}

function described({ error, cause }: Failure): { error?: string; cause?: string } {
  return { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) };
}
