import { canonicalJson } from '../provenance/canonical.ts';
import { type Clock, dayIn } from '../provenance/clock.ts';

/** Why a tool call of a conversation is not run, and what the model is told instead of a result. */
export const refusals = {
  REPEATED_FAILURE: 'This very call has failed twice. It was not run again: change the arguments, or stop.',
  TOO_MANY_CALLS: 'This conversation has used all the calls that it may make. Answer with what you have.',
  SIGN_IN_EXPIRED: 'The sign-in of the person has expired. Nothing more is done in their name.',
} as const;
export type Refusal = keyof typeof refusals;

export interface GuardOptions {
  /** How many tool calls the conversation may make, whatever they are. */
  readonly calls: number;
  readonly clock: Clock;
  /** When the person's sign-in ends, in milliseconds since the Unix epoch. */
  readonly expires?: number | undefined;
}

const failuresAllowed = 2;

/** Watches over the tool calls of one conversation. */
export class ConversationGuard {
  readonly #options: GuardOptions;
  readonly #failures = new Map<string, number>();
  #calls = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Whether the conversation may go on at all; asked before each call of the model as well. */
  get expired(): boolean {
    const { expires, clock } = this.#options;
    return expires !== undefined && clock.now() >= expires;
  }

  /** Counts a tool call that is about to run, or says why it is refused. A refused call is not counted. */
  admit(tool: string, input: unknown): Refusal | undefined {
    if (this.expired) return 'SIGN_IN_EXPIRED';
    if (this.#calls >= this.#options.calls) return 'TOO_MANY_CALLS';
    if ((this.#failures.get(callKey(tool, input)) ?? 0) >= failuresAllowed) return 'REPEATED_FAILURE';
    this.#calls += 1;
    return undefined;
  }

  /** Notes how an admitted call ended. A success forgives the failures of that very call. */
  note(tool: string, input: unknown, ended: 'succeeded' | 'failed'): void {
    const key = callKey(tool, input);
    if (ended === 'succeeded') this.#failures.delete(key);
    else this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1);
  }
}

/** Two calls are identical when tool and input are, in whatever order the keys were written. */
function callKey(tool: string, input: unknown): string {
  try {
    return canonicalJson([tool, input ?? null]);
  } catch {
    return canonicalJson([tool, String(JSON.stringify(input)).toWellFormed()]);
  }
}

/** Today's date in a time zone, as an ISO date: models do not know what day it is. */
export function todayIn(timezone: string, clock: Clock): string {
  return dayIn(timezone, clock.now());
}

/** The weekday in English, for the prompt: reading "next Tuesday" needs it. */
export function weekdayIn(timezone: string, clock: Clock): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: timezone, weekday: 'long' }).format(clock.now());
}

/** A system prompt with today's date in the circle's time zone. */
export function withToday(system: string, timezone: string, clock: Clock): string {
  const today = `${weekdayIn(timezone, clock)}, ${todayIn(timezone, clock)}`;
  return `${system}\n\nToday is ${today} in the time zone ${timezone}.`;
}
