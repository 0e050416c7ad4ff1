import type { Failure } from './failure.ts';
import type { HistoryEvent } from './history.ts';

/** What the engine has to remember and AWS's history does not show. */
export type Note =
  | { readonly note: 'wait'; readonly until: number }
  | { readonly note: 'retry'; readonly until: number; readonly retrier: number }
  | { readonly note: 'heartbeat'; readonly due: number }
  /** A Map or Parallel fails because of the event `from` in one of its branches or iterations. */
  | { readonly note: 'block-failed'; readonly failure: Failure; readonly from: number };

/** What the engine has to remember of an event beyond what the event shows. */
export interface Extra {
  readonly token?: string | undefined;
  readonly deadline?: number | undefined;
  readonly heartbeatSeconds?: number | undefined;
  readonly heartbeatDue?: number | undefined;
  /** JSON texts. */
  readonly items?: readonly string[];
  readonly inputs?: readonly string[];
  readonly concurrency?: number;
  readonly failure?: Failure;
}

/** One entry of the journal: an event or a note, and the thread of states that it belongs to. */
export interface JournalRecord {
  readonly scope: string;
  readonly event?: HistoryEvent;
  readonly extra?: Extra | undefined;
  readonly note?: Note;
}
