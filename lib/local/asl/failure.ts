/** Why a state failed. An error and a cause may be missing, as in a `SendTaskFailure` that names neither. */
export interface Failure {
  readonly error?: string;
  readonly cause?: string;
  /** Beyond any Retry or Catch: `States.Runtime`, and a state's own output over the limit. */
  readonly terminal?: boolean;
  /** A missed heartbeat. Its event says `States.Timeout`; a Catch may also name `States.HeartbeatTimeout`. */
  readonly heartbeat?: boolean;
}

/** Whether an `ErrorEquals` list matches a failure. */
export function matches(errorEquals: readonly string[], failure: Failure): boolean {
  if (failure.terminal === true) return false;
  return errorEquals.some((name) => {
    if (name === 'States.ALL') return true;
    if (name === 'States.TaskFailed') return failure.error !== 'States.Timeout';
    if (name === 'States.HeartbeatTimeout') return failure.heartbeat === true;
    return name === failure.error;
  });
}

/** The error output that a Catch hands on. A timeout has an empty cause, an error without any has null. */
export function errorOutput(failure: Failure): { Error: string | null; Cause: string | null } {
  const missing = failure.error === 'States.Timeout' ? '' : null;
  return { Error: failure.error ?? null, Cause: failure.cause ?? missing };
}

/** An expression that cannot be evaluated, or whose result does not fit the field. */
export class QueryError extends Error {
  /** The field, such as `Output/result`; none where the state's input itself is wrong. */
  readonly location: string | undefined;
  /** Whether the event chains from the state's entry, as for a timestamp that cannot be read. */
  readonly afterEntry: boolean;

  constructor(message: string, location?: string, afterEntry = false) {
    super(message);
    this.location = location;
    this.afterEntry = afterEntry;
  }
}

/** What ends an execution beyond any Catch. */
export class TerminalError extends Error {
  readonly failure: Failure;

  constructor(error: string, cause: string) {
    super(cause);
    this.failure = { error, cause, terminal: true };
  }
}

/** A state's output over the limit, for which no Catch helps. */
export function dataLimitExceeded(state: string): TerminalError {
  return new TerminalError(
    'States.DataLimitExceeded',
    `The state/task '${state}' returned a result with a size exceeding the maximum number of bytes service limit.`,
  );
}
