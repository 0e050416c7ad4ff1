import { type Clock, systemClock } from '../../provenance/clock.ts';
import { type Randomness, systemRandomness } from '../../provenance/randomness.ts';
import { randomUuid } from './uuid.ts';

/** What of Lambda's context the handlers may use. */
export interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  getRemainingTimeInMillis(): number;
}

export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** What Lambda reports of a function that threw. */
export interface FunctionError {
  /** The error's name, which is what a state machine matches. */
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type Invocation = { readonly payload: unknown } | { readonly error: FunctionError };

export interface RegistryOptions {
  readonly clock?: Clock;
  readonly randomness?: Randomness;
}

/** Lambda's limit for a payload, each way, in bytes of JSON. */
export const payloadLimit = 6 * 1024 * 1024;
const defaultTimeoutSeconds = 60;
/** What a run gives whose time is over. The handler itself cannot be stopped; its result is dropped. */
const timedOut = Symbol('timed out');

interface Registered {
  readonly handler: LambdaHandler;
  readonly timeoutMilliseconds: number;
}

/** The functions of the office by name, run in this process as Lambda runs them: JSON in, JSON or an error out. */
export class FunctionRegistry {
  readonly #functions = new Map<string, Registered>();
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  constructor({ clock = systemClock, randomness = systemRandomness }: RegistryOptions = {}) {
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** Makes a handler known under a name. */
  register(name: string, handler: LambdaHandler, timeoutSeconds = defaultTimeoutSeconds): void {
    this.#functions.set(name, { handler, timeoutMilliseconds: timeoutSeconds * 1000 });
  }

  has(name: string): boolean {
    return this.#functions.has(name);
  }

  /**
   * Runs a function. What it gets and what it gives pass through JSON, as they do between AWS's machines.
   * @returns the payload, or the error where the function threw, ran out of time, gave too much, or is not there
   */
  async invoke(name: string, payload: unknown): Promise<Invocation> {
    const registered = this.#functions.get(name);
    if (registered === undefined) {
      return failure('ResourceNotFoundException', `function \`${name}\` is not registered`);
    }
    const input = jsonOf(payload);
    if (Buffer.byteLength(input) > payloadLimit) {
      return failure('RequestTooLargeException', `the event is larger than ${payloadLimit} bytes`);
    }
    try {
      const result = await this.#run(name, registered, JSON.parse(input));
      if (result === timedOut) return failure('Sandbox.Timedout', timeoutMessage(registered));
      const output = jsonOf(result);
      if (Buffer.byteLength(output) > payloadLimit) {
        return failure('Function.ResponseSizeTooLarge', `the response is larger than ${payloadLimit} bytes`);
      }
      return { payload: JSON.parse(output) };
    } catch (error) {
      return { error: describeError(error) };
    }
  }

  async #run(name: string, { handler, timeoutMilliseconds }: Registered, event: unknown): Promise<unknown> {
    const deadline = this.#clock.now() + timeoutMilliseconds;
    const context: LambdaContext = {
      awsRequestId: randomUuid(this.#randomness),
      functionName: name,
      getRemainingTimeInMillis: () => Math.max(0, deadline - this.#clock.now()),
    };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<typeof timedOut>((resolve) => {
      timer = setTimeout(() => resolve(timedOut), timeoutMilliseconds);
    });
    try {
      return await Promise.race([handler(event, context), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}

// The text that Lambda itself has for it.
function timeoutMessage({ timeoutMilliseconds }: Registered): string {
  return `Task timed out after ${(timeoutMilliseconds / 1000).toFixed(2)} seconds`;
}

// A handler that returns nothing gives `null` on Lambda.
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function failure(errorType: string, errorMessage: string): Invocation {
  return { error: { errorType, errorMessage } };
}

function describeError(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: 'Error', errorMessage: jsonOf(error) };
  const trace = error.stack?.split('\n') ?? [];
  return { errorType: error.name, errorMessage: error.message, trace };
}
