import type { CallContext } from './call-context.ts';
import type { Failure } from './failure.ts';
import type { Flow } from './machine.ts';
import type { Payload } from './payload.ts';
import type { State } from './states/dispatch.ts';

/** A call of a function that has been scheduled, and perhaps waits for its token to come back. */
export interface ScheduledPhase {
  readonly kind: 'scheduled';
  readonly token: string | undefined;
  /** When the attempt times out, in milliseconds since the epoch. */
  readonly deadline: number | undefined;
  readonly heartbeatSeconds: number | undefined;
  heartbeatDue: number | undefined;
  /** The function has answered; only the token is still out. */
  submitted: boolean;
  /** The call under way; not after a restart. */
  call: CallContext | undefined;
}

/** The branches of a Parallel or the iterations of a Map that are under way. */
export interface BlockPhase {
  readonly kind: 'block';
  /** The id of the Started event. */
  readonly started: number;
  /** What each branch or iteration gets. */
  readonly inputs: readonly Payload[];
  /** The items themselves, for `$states.context.Map.Item.Value`. */
  readonly items: readonly Payload[];
  readonly outputs: (Payload | undefined)[];
  readonly children: Map<number, Scope>;
  /** For each iteration that may start: the event that it chains from. */
  readonly slots: number[];
  /** The first item that has not been started. */
  nextItem: number;
  /** The event that the block's success chains from. */
  last: number;
  finished: number;
}

/** How far a state has come. Everything in it is rebuilt from the journal after a restart. */
export type Phase =
  | { readonly kind: 'entered' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'retrying'; readonly until: number }
  | { readonly kind: 'succeeded'; readonly result: Payload }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | ScheduledPhase
  | BlockPhase;

export const entered: Phase = { kind: 'entered' };

/** One visit of a state. */
export interface Frame<S = State> {
  readonly state: S;
  readonly input: Payload;
  /** The id of the Entered event, and of the event before it in the chain. */
  readonly enteredEvent: number;
  readonly eventBefore: number;
  readonly enteredTime: number;
  /** How often each retrier has been used. */
  readonly retries: number[];
  phase: Phase;
}

/** An item of a Map, as `$states.context.Map.Item` shows it. */
export interface MapItem {
  readonly index: number;
  readonly value: Payload;
}

/** One thread of states: the machine itself, a branch, or an iteration. */
export interface Scope {
  /** Empty for the machine itself, else the block's Started event and the index: `5.0`. */
  readonly key: string;
  readonly flow: Flow;
  readonly parent: Scope | undefined;
  readonly index: number;
  readonly input: Payload;
  readonly item: MapItem | undefined;
  /** Replaced, never changed: an inner scope starts from its outer scope's variables. */
  variables: Readonly<Record<string, unknown>>;
  /** The last event of this thread's chain. */
  last: number;
  frame: Frame | undefined;
  begun: boolean;
  output: Payload | undefined;
  /** Ended or aborted: whatever is still under way for it is dropped. */
  closed: boolean;
  /** Lets the thread go on that waits for something. */
  wake: (() => void) | undefined;
  /** Cancels timers and calls when the state is left. */
  readonly cleanup: Set<() => void>;
}

export function newScope(
  key: string,
  flow: Flow,
  input: Payload,
  inherit?: { parent: Scope; index: number; last: number; item?: MapItem | undefined },
): Scope {
  return {
    key,
    flow,
    parent: inherit?.parent,
    index: inherit?.index ?? 0,
    input,
    item: inherit?.item ?? inherit?.parent.item,
    variables: inherit?.parent.variables ?? {},
    last: inherit?.last ?? 0,
    frame: undefined,
    begun: false,
    output: undefined,
    closed: false,
    wake: undefined,
    cleanup: new Set(),
  };
}
